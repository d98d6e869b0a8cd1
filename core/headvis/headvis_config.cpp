#include <fmt/format.h>

#include <functional>
#include <set>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/headvis/headvis_json.h"
#include "core/headvis/headvis_read.h"

namespace headscope {
namespace {

using Member = JsonCursor::Member;

constexpr std::int64_t kMostIntervals = 1000;
constexpr std::size_t kMostHeads = std::size_t{1} << 22, kMostMetrics = 1000, kLongestPattern = 100;
constexpr std::string_view kLayer = "{layer}", kHead = "{head}";

// [[layer, head], ...], each once.
std::vector<std::pair<std::int64_t, std::int64_t>> read_heads(JsonCursor& at) {
  std::vector<std::pair<std::int64_t, std::int64_t>> heads;
  std::set<std::pair<std::int64_t, std::int64_t>> seen;
  each_item(at, [&](JsonCursor& item) {
    std::vector<std::int64_t> pair;
    each_item(item, [&](JsonCursor& number) {
      if (pair.size() < 3) pair.push_back(number.read_integer(0, kMostHeadVisLayers));
      if (pair.size() == 3) number.fail("a head is a list of three numbers; expected layer and head");
    });
    if (pair.size() != 2) item.fail("a head is not a list of layer and head");
    if (heads.size() == kMostHeads) item.fail(fmt::format("more than {} heads", kMostHeads));
    if (!seen.emplace(pair[0], pair[1]).second) item.fail(fmt::format("head {}.{} stands twice", pair[0], pair[1]));
    heads.emplace_back(pair[0], pair[1]);
  });
  return heads;
}

// {"key": "text", ...}
std::map<std::string, std::string> read_descriptions(JsonCursor& at) {
  std::map<std::string, std::string> texts;
  for (Member& member : at.read_members()) texts[member.key] = text_at(member.value);
  return texts;
}

// [{"key": ..., "label": ...}, ...]
std::vector<HeadVisLabel> read_labels(JsonCursor& at) {
  std::vector<HeadVisLabel> labels;
  each_item(at, [&](JsonCursor& item) {
    std::vector<Member> members = item.read_members();
    HeadVisLabel label;
    Member* key = find_member(members, "key");
    if (key == nullptr) item.fail("a plot or table without \"key\"");
    label.key = text_at(key->value);
    Member* text = find_member(members, "label");
    label.label = text == nullptr ? label.key : text_at(text->value);
    labels.push_back(std::move(label));
  });
  return labels;
}

// {"key": {"label": ...}, ...}
std::vector<HeadVisLabel> read_statistics_labels(JsonCursor& at) {
  std::vector<HeadVisLabel> labels;
  for (Member& member : at.read_members()) {
    std::vector<Member> members = member.value.read_members();
    Member* text = find_member(members, "label");
    labels.push_back({member.key, text == nullptr ? member.key : text_at(text->value)});
  }
  return labels;
}

// Names of files in one folder, one a head.
std::string read_pattern(JsonCursor& at) {
  const std::string pattern = text_at(at);
  const auto once = [&](std::string_view part) {
    const std::size_t found = pattern.find(part);
    return found != pattern.npos && pattern.find(part, found + 1) == pattern.npos;
  };
  if (!once(kLayer) || !once(kHead) || pattern.size() > kLongestPattern || pattern.starts_with('.') ||
      pattern.find_first_of("/\\") != pattern.npos) {
    at.fail(
        fmt::format("head_data_pattern is {}; expected a name such as L{{layer}}H{{head}}.json", in_quotes(pattern)));
  }
  return pattern;
}

}  // namespace

std::string headvis_file_name(const std::string& pattern, std::int64_t layer, std::int64_t head) {
  std::string name = pattern;
  for (const auto& [part, number] : {std::pair{kLayer, layer}, std::pair{kHead, head}}) {
    if (const std::size_t found = name.find(part); found != name.npos) {
      name.replace(found, part.size(), std::to_string(number));
    }
  }
  return name;
}

HeadVisConfig parse_headvis_config(std::string_view json, const std::string& what) {
  JsonCursor cursor(json, what);
  std::vector<Member> members = cursor.read_members();
  cursor.finish();
  HeadVisConfig config;
  config.model = text_at(need_member(members, "model_name", what));
  config.heads = read_heads(need_member(members, "heads", what));
  config.metrics = texts_at(need_member(members, "metrics", what), kMostMetrics);
  if (std::set<std::string>(config.metrics.begin(), config.metrics.end()).size() != config.metrics.size()) {
    throw Error(what + ": a metric stands twice in \"metrics\"");
  }
  const std::map<std::string_view, std::function<void(JsonCursor&)>> optional = {
      {"n_layers", [&](JsonCursor& at) { config.layers = at.read_integer(0, kMostHeadVisLayers); }},
      {"n_heads", [&](JsonCursor& at) { config.heads_each = at.read_integer(0, kMostHeadVisLayers); }},
      {"n_intervals", [&](JsonCursor& at) { config.intervals = at.read_integer(1, kMostIntervals); }},
      {"metric_descriptions", [&](JsonCursor& at) { config.descriptions = read_descriptions(at); }},
      {"head_data_pattern", [&](JsonCursor& at) { config.pattern = read_pattern(at); }},
      {"custom_plots", [&](JsonCursor& at) { config.plots = read_labels(at); }},
      {"custom_tables", [&](JsonCursor& at) { config.tables = read_labels(at); }},
      {"statistics_display", [&](JsonCursor& at) { config.statistics = read_statistics_labels(at); }}};
  for (Member& member : members) {
    if (const auto found = optional.find(member.key); found != optional.end()) found->second(member.value);
  }
  return config;
}

}  // namespace headscope
