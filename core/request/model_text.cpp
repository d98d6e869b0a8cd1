#include "core/request/model_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/request/option_text.h"
#include "core/request/request.h"

namespace headscope {
namespace {

constexpr std::string_view kMark = " with adapter ";
constexpr std::string_view kOff = "off:";
constexpr const char* kAdapterTerms = "none, or DIR[*SCALE][;...], such as lora or lora*0.5;style";

std::optional<double> scale_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What stands behind the last * where it is a number, which a folder's name may hold as well.
std::optional<double> scale_behind(std::string_view term) {
  const std::size_t times = term.rfind('*');
  return times == term.npos ? std::nullopt : scale_in(term.substr(times + 1));
}

std::string adapter_term(const AdapterUse& adapter) {
  const bool plain = adapter.scale == 1.0 && !scale_behind(adapter.folder);
  return fmt::format("{}{}{}", adapter.on ? "" : kOff, adapter.folder, plain ? "" : "*" + double_text(adapter.scale));
}

// False for a text that is no term.
bool read_adapter_term(std::string_view term, AdapterUse& to) {
  to.on = !term.starts_with(kOff);
  if (!to.on) term.remove_prefix(kOff.size());
  if (const std::optional<double> scale = scale_behind(term)) {
    to.scale = *scale;
    term = term.substr(0, term.rfind('*'));
  }
  to.folder = term;
  const bool ambiguous = (' ' + to.folder).find(kMark) != std::string::npos;
  return !term.empty() && !ambiguous && std::isfinite(to.scale);
}

std::optional<std::vector<AdapterUse>> read_adapters(std::string_view text) {
  std::vector<AdapterUse> adapters;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    if (!read_adapter_term(text.substr(begin, end - begin), adapters.emplace_back())) return std::nullopt;
    begin = end + 1;
  }
  return adapters;
}

}  // namespace

ModelText model_text_of(std::string_view model) {
  const std::size_t mark = model.rfind(kMark);
  if (mark == model.npos) return {std::string(model), {}};
  auto adapters = read_adapters(model.substr(mark + kMark.size()));
  if (!adapters) return {std::string(model), {}};
  return {std::string(model.substr(0, mark)), std::move(*adapters)};
}

std::string text_of(const ModelText& model) {
  return model.adapters.empty() ? model.base : model.base + std::string(kMark) + adapters_text(model.adapters);
}

std::string base_of_model(std::string_view model) {
  return model_text_of(model).base;
}

bool same_base(std::string_view a, std::string_view b) {
  return a == b || base_of_model(a) == base_of_model(b);
}

std::vector<AdapterUse> acting_adapters(std::string_view model) {
  std::vector<AdapterUse> adapters = model_text_of(model).adapters;
  std::erase_if(adapters, [](const AdapterUse& each) { return !each.on; });
  return adapters;
}

std::string adapters_text(const std::vector<AdapterUse>& adapters) {
  std::string text;
  for (const AdapterUse& each : adapters) text += (text.empty() ? "" : ";") + adapter_term(each);
  return text;
}

std::vector<AdapterUse> parse_adapters(std::string_view text) {
  check_text("adapter", text, false);
  if (text == "none") return {};
  auto adapters = read_adapters(text);
  if (!adapters) refuse_value("adapter", text, "a list of adapters", kAdapterTerms);
  return std::move(*adapters);
}

std::string adapters_with(std::string_view model, const std::string& folder) {
  std::vector<AdapterUse> adapters = model_text_of(model).adapters;
  adapters.push_back({folder});
  return adapters_text(adapters);
}

std::string with_adapter_names(std::string base, std::string_view model) {
  std::vector<AdapterUse> adapters = acting_adapters(model);
  for (AdapterUse& each : adapters) {
    while (each.folder.size() > 1 && each.folder.ends_with('/')) each.folder.pop_back();
    if (const std::size_t slash = each.folder.rfind('/');
        slash + 1 < each.folder.size() && slash != std::string::npos) {
      each.folder.erase(0, slash + 1);
    }
  }
  return text_of({std::move(base), std::move(adapters)});
}

std::string base_option(const Request& request) {
  const std::string base = base_of_model(request.model);
  return base == Request{}.model ? std::string() : base;
}

void set_base_option(Request& request, const std::string& text) {
  check_text("model", text, false);
  if (text.empty()) refuse_value("model", text, "a path", "the name of a file");
  ModelText named = model_text_of(text);
  if (named.base.find(kMark) != std::string::npos) {
    refuse_value("model", text, "the name of a model, and of its adapters behind \"with adapter\"", "a path");
  }
  if (named.adapters.empty()) named.adapters = model_text_of(request.model).adapters;
  request.model = text_of(named);
}

std::string adapter_option(const Request& request) {
  return adapters_text(model_text_of(request.model).adapters);
}

void set_adapter_option(Request& request, const std::string& text) {
  request.model = text_of({base_of_model(request.model), parse_adapters(text)});
}

}  // namespace headscope
