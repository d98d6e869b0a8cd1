"""What a seed draws: the generator's numbers, and layers whose weights are drawn."""
import torch
import torch.nn as nn

from torch_golden_files import save_npy, stage
from torch_golden_fused import FusedAttention, causal

SEEDS = [0, 1, 42, 2**32 + 5, 2**63 + 1]


def draws():
    cases = []

    def case(seed, steps):
        """steps: ['randn', n], ['uniform', n, low, high] or ['linear', in, out], drawn one after the other."""
        torch.manual_seed(seed)
        drawn = []
        for kind, *sizes in steps:
            if kind == 'randn':
                drawn.append(stage(torch.randn(sizes[0])))
            elif kind == 'uniform':
                drawn.append(stage(torch.empty(sizes[0]).uniform_(sizes[1], sizes[2])))
            else:
                linear = nn.Linear(*sizes)
                drawn += [stage(linear.weight), stage(linear.bias)]
        cases.append({'seed': str(seed), 'steps': steps, 'drawn': drawn})

    for seed in SEEDS:
        for n in [1, 2, 5, 15, 16, 17, 24, 31, 100, 1000]:
            case(seed, [['randn', n]])
        case(seed, [['randn', 5], ['uniform', 3, -0.5, 2.0], ['randn', 2], ['randn', 17], ['randn', 4]])
        case(seed, [['randn', 3], ['linear', 6, 4], ['randn', 3], ['linear', 7, 3], ['linear', 1, 1]])
        case(seed, [['linear', 512, 1536], ['linear', 512, 512], ['randn', 20]])
    return cases


def words(count, first='a'):
    return ' '.join(chr(ord(first) + i) for i in range(count))


def seeded_cases():
    cases = []
    sizes = [(1, 1, 5, 6, 3), (1, 3, 4, 4, 2), (1, 5, 6, 12, 4), (2, 3, 7, 8, 2), (1, 4, 8, 16, 8), (30, 5, 1024, 512, 8)]
    for number_of_seed, seed in enumerate(SEEDS):
        for batch, length, input_dim, d_model, heads in sizes:
            large = input_dim > 100
            if large and number_of_seed > 1:
                continue
            options = {'model': 'seeded', 'seed': str(seed), 'embedding': 'sequence', 'batch': str(batch),
                       'input-dim': str(input_dim), 'd-model': str(d_model), 'heads': str(heads),
                       'phrase': words(length)}
            torch.manual_seed(seed)
            x = torch.randn((batch, length, input_dim))
            model = FusedAttention(input_dim, d_model, heads)
            kept = ['input', 'weights', 'context', 'output'] if large or number_of_seed == 0 else ['input', 'output']
            forms = {'': ({}, {}), ' causal': ({'mask': 'causal'}, {'mask': causal(length, length)}),
                     ' merged directly': ({'merge': 'direct'}, {'direct': True}),
                     ' blocked': ({'qkv-layout': 'blocked'}, {'blocked': True})}
            for form, (more, arguments) in forms.items():
                if form and number_of_seed > 0:
                    continue
                stages = model(x, **arguments)
                cases.append({'name': f'seeded {seed} {batch}x{length}x{input_dim} {d_model}/{heads}{form}',
                              'options': {**options, **more}, 'stages': {k: stage(stages[k]) for k in kept}})
    for seed in [0, 42]:
        torch.manual_seed(seed)
        x, key_x = torch.randn((2, 3, 5)), torch.randn((2, 4, 5))
        stages = FusedAttention(5, 8, 2)(x, key_x=key_x, mask=causal(3, 4))
        stages['key_input'] = key_x
        cases.append({'name': f'seeded {seed} cross-attention',
                      'options': {'model': 'seeded', 'seed': str(seed), 'embedding': 'sequence', 'batch': '2',
                                  'input-dim': '5', 'd-model': '8', 'heads': '2', 'phrase': words(3),
                                  'key-phrase': words(4, 'p'), 'mask': 'causal'},
                      'stages': {k: stage(stages[k]) for k in ['input', 'key_input', 'query', 'key', 'weights',
                                                              'output']}})
    # The layer follows at once when x comes from a file.
    torch.manual_seed(7)
    model = FusedAttention(6, 8, 4)
    x = torch.randn((3, 6))
    stages = model(x[None])
    cases.append({'name': 'seeded 7 with x from a file',
                  'options': {'model': 'seeded', 'seed': '7', 'd-model': '8', 'heads': '4',
                              'input': save_npy('seeded_input.npy', x)},
                  'stages': {k: stage(stages[k]) for k in ['input', 'weights', 'output']}})
    return cases
