"""Steps whose direction is the nearest orthogonal matrix to the momentum (Muon; K. Jordan and others, 2024)."""

import torch


def orthogonal(matrix, rounds=5):
    """The polar factor U V^T of `matrix` = U S V^T, about, by rounds of an odd polynomial of degree five.

    Its coefficients (3.4445, -4.7750, 2.0315) are the published ones: small singular values grow fast, all end in
    0.7 to 1.2.
    """
    tall = matrix.shape[0] > matrix.shape[1]
    x = matrix.T if tall else matrix
    x = x / (x.norm() + 1e-7)
    for _ in range(rounds):
        square = x @ x.T
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return x.T if tall else x


class Muon(torch.optim.Optimizer):
    """Momentum of Nesterov, made orthogonal; for matrices between two streams alone, not for tables of tokens."""

    def __init__(self, weights, lr, momentum=0.95, decay=0.01):
        super().__init__(weights, {"lr": lr, "momentum": momentum, "decay": decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is None:
                    continue
                state = self.state[weight]
                if "momentum" not in state:
                    state["momentum"] = torch.zeros_like(weight)
                state["momentum"].lerp_(weight.grad, 1 - group["momentum"])
                direction = weight.grad.lerp(state["momentum"], group["momentum"])
                rows, columns = weight.shape
                weight.mul_(1 - group["lr"] * group["decay"])
                weight.add_(orthogonal(direction), alpha=-group["lr"] * max(1, rows / columns) ** 0.5)
