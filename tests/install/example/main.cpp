// Attention of one phrase by the installed engine: the weights of head 0, a row a query.
#include <cstdio>

#include "core/attention/engine.h"
#include "core/base/version.h"

int main() {
  headscope::Request request;
  request.phrase = "a stitch in time saves nine";
  request.d_model = 16;
  request.heads = 2;
  request.mask = {{headscope::MaskTerm::Kind::causal, 0, ""}};
  headscope::Engine engine;
  const auto trace = engine.run(request, {});
  const headscope::Tensor& weights = trace->tensor(headscope::StageId::weights);
  std::printf("headscope %s, %s\n", headscope::kVersion, headscope::to_string(weights.shape()).c_str());
  for (std::int64_t query = 0; query < trace->query_len(); ++query) {
    for (std::int64_t key = 0; key < trace->key_len(); ++key) {
      std::printf("%.9g%c", static_cast<double>(weights.at({0, 0, query, key})),
                  key + 1 < trace->key_len() ? ' ' : '\n');
    }
  }
}
