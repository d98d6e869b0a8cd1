// Request::model where adapters stand beside the model: "gpt2 with adapter lora*0.5;off:style". The text is one name,
// so that whatever tells models apart by their name tells those with other adapters apart, too. No two models with
// their adapters have the same name: a folder whose own name holds " with adapter " is measured at the end, "x with
// adapter y with adapter #16" (the first 16 bytes are the model), and a ; of an adapter's folder stands twice.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headscope {

struct Request;

// A folder of low-rank changes that are added to a model's weights: W' = W + scale * change (core/model/adapters.h).
struct AdapterUse {
  std::string folder;
  double scale = 1.0;  // finite
  bool on = true;      // false: listed, without effect
  friend bool operator==(const AdapterUse&, const AdapterUse&) = default;
};

struct ModelText {
  std::string base;  // seeded | demo:NAME | path
  std::vector<AdapterUse> adapters;
};

// The two parts of a model's name; all of it is the base where no adapters are named.
ModelText model_text_of(std::string_view model);
std::string text_of(const ModelText& model);
// model_text_of(model).base.
std::string base_of_model(std::string_view model);
// Whether two names have one base, whatever their adapters are.
bool same_base(std::string_view a, std::string_view b);
// Those of model_text_of(model).adapters that are on, in their order, which is that in which they act.
std::vector<AdapterUse> acting_adapters(std::string_view model);

// "lora*0.5;off:style": the value of --adapter; "" for none.
std::string adapters_text(const std::vector<AdapterUse>& adapters);
// Parses it; "none" gives none. UsageError of the option `adapter`, also for none among others and for a scale with a
// comma.
std::vector<AdapterUse> parse_adapters(std::string_view text);

// The value of --adapter with one more folder behind those of the model's name.
std::string adapters_with(std::string_view model, const std::string& folder);

// As a title has it: `base` as it is given, then the adapters that are on by the names of their folders: "gpt2 with
// adapter lora*0.5".
std::string with_adapter_names(std::string base, std::string_view model);

// The options --model and --adapter of a request: each leaves the other as it is. --model is a path or demo:NAME, all
// of it.
std::string base_option(const Request& request);
void set_base_option(Request& request, const std::string& text);
std::string adapter_option(const Request& request);
void set_adapter_option(Request& request, const std::string& text);

}  // namespace headscope
