#include "app/cli/view_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/render_theirs.h"
#include "app/cli/stage_arguments.h"
#include "core/attention/trace.h"
#include "core/base/error.h"
#include "core/base/from_end.h"
#include "core/picture/idle_view_options.h"
#include "core/picture/view_option.h"
#include "core/picture/view_options.h"
#include "core/picture/view_reach.h"

namespace headscope::cli {

namespace {

std::vector<std::string> words_of(std::string_view placeholder) {
  std::vector<std::string> words;
  while (true) {
    const std::size_t bar = placeholder.find('|');
    words.emplace_back(placeholder.substr(0, bar));
    if (bar == placeholder.npos) return words;
    placeholder.remove_prefix(bar + 1);
  }
}

void check_word(const ViewOption& option, const std::string& text) {
  choice_of(option.name, text, words_of(option.placeholder));
}

void check_stage(const ViewOption& option, const std::string& text) {
  stage_from(option.name, text);
}

void check_colormap(const ViewOption& option, const std::string& text) {
  if (!color_map_named(text)) throw UsageError(option.name, fmt::format("found '{}'", text), option.placeholder);
}

void check_range(const ViewOption& option, const std::string& text) {
  if (text == "auto" || text == "row" || text == "fit") return;
  const std::size_t comma = text.find(',');
  if (comma == text.npos) throw UsageError(option.name, fmt::format("found '{}'", text), "auto, row, fit or LO,HI");
  const double low = finite_number(option.name, text.substr(0, comma));
  const double high = finite_number(option.name, text.substr(comma + 1));
  if (!(low < high)) throw UsageError(option.name, fmt::format("found '{}'", text), "LO,HI with LO below HI");
}

template <std::int64_t low, std::int64_t high>
void check_whole(const ViewOption& option, const std::string& text) {
  whole_number(option.name, text, low, high);
}

// In pixels; a length on paper is looked at by the option itself.
void check_width(const ViewOption& option, const std::string& text) {
  if (text.find_first_not_of("-0123456789") == text.npos) check_whole<1, 16384>(option, text);
}

// What is looked at before the option's own `set`: the command line takes less than a session file of some options, and
// says in words of its own what it expects.
struct Check {
  std::string_view option;
  void (*check)(const ViewOption&, const std::string& text);
};
constexpr Check kChecks[] = {{"view", check_word},
                             {"stage", check_stage},
                             {"head", check_whole<0, std::numeric_limits<std::int32_t>::max()>},
                             {"colormap", check_colormap},
                             {"range", check_range},
                             {"cell", check_whole<1, 1024>},
                             {"labels", check_word},
                             {"theme", check_word},
                             {"width", check_width}};

void set_from(ViewSpec& view, const ViewOption& option, const std::string& text) {
  for (const Check& check : kChecks) {
    if (check.option == option.name) check.check(option, text);
  }
  option.set(view, text);
}

// The view that options other than --view mean.
ViewKind implied_kind(const Arguments& given, const ViewSpec& view) {
  const bool of_two = (given.has("against") || given.has("theirs")) && !takes_another_result(view.view);
  ViewKind kind = of_two ? ViewKind::difference : view.view;
  const bool of_any_stage =
      kind == ViewKind::difference || kind == ViewKind::sensitivity || kind == ViewKind::explanation;
  if (given.has("stage") && !is_score_like(view.stage) && !of_any_stage) {
    kind = view.stage == StageId::concat ? ViewKind::concat : ViewKind::stage;
  }
  if (given.has("head") && kind == ViewKind::heads) kind = ViewKind::head;
  if (given.has("aggregate") && view.aggregate) kind = ViewKind::layers;
  return kind;
}

}  // namespace

OptionGroup view_group() {
  OptionGroup group{"VIEW", {}};
  for (const ViewOption& option : view_options()) {
    if (option.on_command_line) group.options.push_back({option.name, option.placeholder, option.help});
  }
  group.options.push_back({"against", "FILE",
                           "difference, sweep: a session, or a picture, whose result is A; this request's is B. A "
                           "difference draws A - B, a "
                           "sweep what becomes of B with numbers of A."});
  group.options.push_back({"theirs", "FILE", kTheirsHelp});
  // First what decides which picture it is.
  constexpr std::string_view kFirst[] = {"view", "aggregate", "against", "theirs", "head", "stage"};
  const auto place = [&](const OptionSpec& option) {
    return std::find(std::begin(kFirst), std::end(kFirst), option.name) - std::begin(kFirst);
  };
  std::stable_sort(group.options.begin(), group.options.end(),
                   [&](const OptionSpec& a, const OptionSpec& b) { return place(a) < place(b); });
  return group;
}

ViewSpec given_view(const Arguments& given, ViewSpec view) {
  for (const ViewOption& option : view_options()) {
    if (option.on_command_line && given.has(option.name)) set_from(view, option, given.get(option.name));
  }
  if (!given.has("view")) view.view = implied_kind(given, view);
  for (const ViewOption& option : view_options()) {
    const ViewReach& reach = option.reach;
    const bool means_other = reach.as_other.has(view.view) && given.has(option.name) && !given.has(reach.other);
    if (means_other) find_view_option(reach.other)->set(view, given.get(option.name));
  }
  return view;
}

void refuse_idle_options(const Arguments& given, const ViewSpec& view, bool on_page) {
  for (const ViewOption& option : view_options()) {
    if (!option.on_command_line || !given.has(option.name)) continue;
    refuse_idle(option, view, on_page);
    const ViewReach& reach = option.reach;
    if (on_page || !reach.as_other.has(view.view) || is_default(option, view) || !given.has(reach.other)) continue;
    throw UsageError(option.name, fmt::format("found together with --{}, which says all of it", reach.other),
                     "one of both");
  }
}

ViewSpec settled_view(ViewSpec view, const Trace& trace) {
  std::vector<std::int64_t> sizes;
  const bool of_positions = view.view == ViewKind::attribution || view.view == ViewKind::sweep;
  const Stage* stage = trace.find(view.stage);
  if (of_positions) {
    sizes = {trace.query_len()};
  } else if (view.view == ViewKind::score) {
    sizes = {trace.query_len(), trace.inputs->key_len};
  } else if (stage != nullptr) {
    for (const std::int64_t size : stage->tensor.shape()) sizes.push_back(size);
  }
  for (std::size_t axis = 0; axis < std::min(sizes.size(), view.at.size()); ++axis) {
    view.at[axis] = counted_from_end(view.at[axis], sizes[axis]);
  }
  return view;
}

}  // namespace headscope::cli
