// Three methods say what every token of the input does to a logit: gradient times input, integrated gradients,
// occlusion.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/engine.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/request/request.h"

namespace headscope {

enum class InputMethod { gradient_input, integrated, occlusion };
inline constexpr const char* kInputMethodNames[] = {"gradient-input", "integrated", "occlusion"};

// A path has at most kPathSteps nodes, a run and a backward pass each; the other two bound what may be asked for.
inline constexpr std::int64_t kPathSteps = 2048, kLeastPathSteps = 8, kMostPathSteps = 100'000;

struct InputQuestion {
  Request request;
  std::int64_t position = -1;       // whose logits are taken; below 0 from the end
  std::vector<std::string> tokens;  // one, or two whose difference is taken, as named_token() reads them
  InputMethod method = InputMethod::gradient_input;
  std::int64_t steps = kPathSteps;  // of InputMethod::integrated
};

struct InputAttribution {
  std::int64_t position = 0;
  std::vector<std::int64_t> ids;       // of the question's tokens
  double value = 0;                    // f: the logit of A, or that less the logit of B, of the run
  double baseline = 0;                 // f0: the same of the run in which the embedding of every token is 0
  std::vector<double> tokens;          // [len], what each token does to f
  std::int64_t steps = 0;              // of a path: the nodes that were used
  std::shared_ptr<const Trace> trace;  // of the run
  double total() const { return value - baseline; }
  double sum() const;  // of the tokens
  double gap() const { return total() - sum(); }
};

// With E[i] the row of token i in the table of words, times what the model multiplies it by, and without its position
// and token type, which stay where they are whatever becomes of E; and f(a) the value f of a run whose tokens have the
// rows a[i] E[i]:
//   gradient-input  v[i] = (d f / d E[i]) . E[i], the gradient of the run itself
//   integrated      v[i] = integral over t from 0 to 1 of (d f / d E[i] at t E) . E[i] dt (Sundararajan and others,
//                   2017), with zero embeddings as its beginning: 8 Gauss-Legendre nodes for each part of the path,
//                   whose sums have to be the changes of f. The worst part is halved until they miss a thousandth of
//                   the total, or `steps` nodes are used; the gap is what they miss
//   occlusion       v[i] = f - f(1 everywhere, 0 at i)
// `progress` gets the share that is done; it may be empty. UsageError of the option "model" for what is no whole model,
// "stage" for one without logits or without a text, "at" for a position that the text has not, "token" as
// named_token(), "method" as check_gradient() where a gradient is asked for. Throws Cancelled, and as Engine::run.
InputAttribution input_attribution(EngineOptions options, const InputQuestion& question, const CancelToken& cancel,
                                   const std::function<void(double share)>& progress = {});

// Places x[k] in (0, 1) and weights w[k] by which the integral of g from 0 to 1 is about sum w[k] g(x[k]): exactly for
// polynomials of a degree below 2 count. Legendre's polynomials by recursion, their roots by Newton's steps.
struct PathNode {
  double share = 0, weight = 0;
};
std::vector<PathNode> gauss_legendre(std::int64_t count);

}  // namespace headscope
