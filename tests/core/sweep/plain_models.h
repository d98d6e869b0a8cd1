// GPT-2, Llama and BERT as plain loops in double, from the papers: what patched runs are held against. Every part can
// be read and replaced on the way.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace headscope {

using PlainRows = std::vector<std::vector<double>>;

// Parts by "LAYER/NAME": stream, query, key, value [len, heads * size]; weights [heads * len, len]; concat, output,
// mlp_out [len, features]; neurons [len, width of the MLP].
struct PlainParts {
  std::map<std::string, PlainRows> seen;
  std::function<void(const std::string& name, PlainRows& rows)> change;  // before the part is used; may be empty

  void pass(const std::string& name, PlainRows& rows) {
    if (change) change(name, rows);
    seen[name] = rows;
  }
};

struct PlainSizes {
  std::int64_t layers = 0, heads = 0, groups = 0, width = 0;
};
PlainSizes plain_sizes(const std::string& model);

// The logits of a golden model, "gpt2", "llama" or "bert", on these ids: [len, vocabulary].
PlainRows plain_logits(const std::string& model, const std::vector<std::int64_t>& ids, PlainParts& parts);

}  // namespace headscope
