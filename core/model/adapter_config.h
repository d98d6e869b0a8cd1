// The adapter_config.json of a folder of PEFT or MLX: how much its low-rank changes weigh.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {

struct AdapterConfig {
  enum class Kind { peft, mlx };
  Kind kind = Kind::peft;
  std::string file;             // its path
  std::string base;             // base_model_name_or_path; "": not said
  bool dora = false;            // use_dora; of MLX its tensors say it
  std::int64_t rank = 0;        // r
  double alpha = 0;             // lora_alpha
  bool root_of_rank = false;    // use_rslora: alpha / sqrt(r), not alpha / r
  bool fan_in_fan_out = false;  // matrices of the base are [in, out]
  double scale = 0;             // of MLX, in place of alpha / r

  // rank_pattern and alpha_pattern: for modules whose name ends in one of these expressions, the first that fits.
  using Pattern = std::vector<std::pair<std::string, double>>;
  Pattern ranks, alphas;
};

// Throws Error, which names the file, for what is no LoRA or DoRA (peft_type, fine_tune_type), for values that are not
// as PEFT writes them, for patterns that are no expressions, and for keys that ask for other arithmetic or are not
// known.
AdapterConfig read_adapter_config(const std::string& folder);

// What the product B A of a module ("model.layers.0.self_attn.q_proj") is multiplied by: alpha / rank, or alpha /
// sqrt(rank), by the patterns. Throws Error, which begins with `what`, where the tensors have another rank than the
// configuration says.
double adapter_scaling(const AdapterConfig& config, const std::string& module, std::int64_t rank,
                       const std::string& what);

}  // namespace headscope
