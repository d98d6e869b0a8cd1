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
constexpr std::string_view kOff = "off:", kNone = "none";
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

// The term with a point in the place of its comma, "lora*1.5" of "lora*1,5"; "" where that makes no scale of it.
std::string with_point(std::string_view term) {
  std::string text(term);
  const std::size_t times = text.rfind('*'), comma = text.find(',', times == text.npos ? 0 : times);
  if (times == text.npos || comma == text.npos) return "";
  text[comma] = '.';
  return scale_behind(text) ? text : "";
}

// A folder as a term spells it: every ; in its name twice, and with "./" before what would not be read as a name.
std::string spelled_folder(const std::string& folder) {
  std::string text;
  if (folder.starts_with(';') || folder.starts_with(kOff) || folder == kNone) text = "./";
  for (const char each : folder) text.append(each == ';' ? 2 : 1, each);
  return text;
}

std::string adapter_term(const AdapterUse& adapter) {
  const bool plain = adapter.scale == 1.0 && !scale_behind(adapter.folder) && with_point(adapter.folder).empty();
  return fmt::format("{}{}{}", adapter.on ? "" : kOff, spelled_folder(adapter.folder),
                     plain ? "" : "*" + double_text(adapter.scale));
}

// False for a text that is no term. A ; in it is one of a folder's name.
bool read_adapter_term(std::string_view term, AdapterUse& to) {
  to.on = !term.starts_with(kOff);
  if (!to.on) term.remove_prefix(kOff.size());
  if (const std::optional<double> scale = scale_behind(term)) {
    to.scale = *scale;
    term = term.substr(0, term.rfind('*'));
  } else if (term == kNone || !with_point(term).empty()) {
    return false;
  }
  to.folder = term;
  return !term.empty() && std::isfinite(to.scale);
}

// The terms of a list, where two ; in a row are one of a name.
std::vector<std::string> terms_of(std::string_view text) {
  std::vector<std::string> terms(1);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != ';') {
      terms.back() += text[at];
    } else if (at + 1 < text.size() && text[at + 1] == ';') {
      terms.back() += text[at++];
    } else {
      terms.emplace_back();
    }
  }
  return terms;
}

std::optional<std::vector<AdapterUse>> read_adapters(std::string_view text) {
  std::vector<AdapterUse> adapters;
  for (const std::string& term : terms_of(text)) {
    if (!read_adapter_term(term, adapters.emplace_back())) return std::nullopt;
  }
  return adapters;
}

// The number of "#12", which stands behind the last mark of a name whose parts hold marks themselves.
std::optional<std::size_t> size_in(std::string_view text) {
  std::size_t size = 0;
  if (!text.starts_with('#')) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), size);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(size) : std::nullopt;
}

bool holds_mark(std::string_view text) {
  return text.find(kMark) != text.npos;
}

// Reads a name that ends in a mark and "#12": its first twelve bytes are the base, and adapters may follow behind a
// mark of their own. Every other name is nullopt.
std::optional<ModelText> measured_text(std::string_view model) {
  const std::size_t last = model.rfind(kMark);
  const std::optional<std::size_t> size =
      last == model.npos ? std::nullopt : size_in(model.substr(last + kMark.size()));
  if (!size || *size > last) return std::nullopt;
  const std::string_view terms = model.substr(*size, last - *size);
  if (terms.empty()) return ModelText{std::string(model.substr(0, *size)), {}};
  if (!terms.starts_with(kMark)) return std::nullopt;
  auto adapters = read_adapters(terms.substr(kMark.size()));
  if (!adapters) return std::nullopt;
  return ModelText{std::string(model.substr(0, *size)), std::move(*adapters)};
}

}  // namespace

ModelText model_text_of(std::string_view model) {
  if (std::optional<ModelText> measured = measured_text(model)) return std::move(*measured);
  const std::size_t mark = model.rfind(kMark);
  if (mark == model.npos) return {std::string(model), {}};
  auto adapters = read_adapters(model.substr(mark + kMark.size()));
  if (!adapters) return {std::string(model), {}};
  return {std::string(model.substr(0, mark)), std::move(*adapters)};
}

std::string text_of(const ModelText& model) {
  const std::string terms = adapters_text(model.adapters);
  const std::string text = terms.empty() ? model.base : model.base + std::string(kMark) + terms;
  // A mark in a name, or a name that looks like a size, would be read as another text.
  if (!holds_mark(model.base) && !holds_mark(' ' + terms) && !size_in(terms)) return text;
  return fmt::format("{}{}#{}", text, kMark, model.base.size());
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
  if (text == kNone) return {};
  for (const std::string& term : terms_of(text)) {
    if (term == kNone) {
      refuse_value("adapter", text, "one thing: it names adapters, and none",
                   "either none or adapters; a folder of that name is ./none");
    }
    if (const std::string scale = with_point(term); !scale.empty()) {
      refuse_value("adapter", term, "an adapter and its scale, which has a point and no comma",
                   fmt::format("{}; a folder of that name is {}*1", scale, term));
    }
  }
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
  request.model = text_of({text, model_text_of(request.model).adapters});
}

std::string adapter_option(const Request& request) {
  return adapters_text(model_text_of(request.model).adapters);
}

void set_adapter_option(Request& request, const std::string& text) {
  request.model = text_of({base_of_model(request.model), parse_adapters(text)});
}

}  // namespace headscope
