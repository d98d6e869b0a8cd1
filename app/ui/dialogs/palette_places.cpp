// The palette's stages, heads, layers, tokens and cells of the shown result.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "app/session/session.h"
#include "app/ui/dialogs/go_to_cell.h"
#include "app/ui/dialogs/palette_kinds.h"
#include "app/ui/dialogs/palette_match.h"
#include "app/ui/panel_data.h"
#include "app/ui/phrase/token_search.h"
#include "app/ui/stage_facts.h"
#include "core/attention/model_trace.h"
#include "core/request/stage.h"

namespace headscope::ui {
namespace {

// The whole text is one index; nullopt: it is not.
std::optional<std::int64_t> index_of(std::string_view text) {
  std::int64_t number = -1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
}

std::int64_t layers_of(const Trace& trace) {
  return trace.model == nullptr ? 1 : static_cast<std::int64_t>(trace.model->layers.size());
}

// "There are 8 heads, 0 to 7."; "" where there is such a one.
std::string outside(std::int64_t index, std::int64_t count, std::string_view noun) {
  if (index < count) return "";
  if (count == 1) return fmt::format("There is one {}, 0.", noun);
  return fmt::format("There are {} {}s, 0 to {}.", count, noun, count - 1);
}

// ---- stages

void list_stages(Ui& ui, std::vector<PaletteEntry>& entries) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return;
  for (const Stage& stage : trace->stages) {
    entries.push_back({.label = fmt::format("stage {}", stage_name(stage.id)),
                       .right = to_string(stage.tensor.shape()),
                       .other_words = stage.operation,
                       .number = static_cast<std::int64_t>(stage.id)});
  }
}

void show_stage(Ui& ui, const PaletteEntry& entry) {
  ui.session.view.main_view = MainView::layer;
  select_stage(ui.session.view, static_cast<StageId>(entry.number));
}

// ---- heads and layers

PaletteEntry head_entry(const Trace& trace, std::int64_t head) {
  return {.label = fmt::format("head {}", head), .refusal = outside(head, trace.num_heads(), "head"), .number = head};
}

void list_heads(Ui& ui, std::vector<PaletteEntry>& entries) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return;
  for (std::int64_t head = 0; head < trace->num_heads(); ++head) entries.push_back(head_entry(*trace, head));
}

PaletteEntry layer_head_entry(const Trace& trace, std::int64_t layer, std::int64_t head) {
  std::string refusal = outside(layer, layers_of(trace), "layer");
  if (refusal.empty()) refusal = outside(head, trace.num_heads(), "head");
  return {.label = fmt::format("layer {} head {}", layer, head),
          .right = fmt::format("{}.{}", layer, head),
          .refusal = std::move(refusal),
          .number = head,
          .second = layer};
}

// "h3", "1.7", "l1h7", "layer 1 head 7".
void spell_head(Ui& ui, const std::string& typed, std::vector<PaletteEntry>& entries) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return;
  std::string text;
  for (const std::string& word : typed_words(searchable(typed))) {
    text += word == "head" ? "h" : word == "layer" ? "l" : word;
  }
  if (text.starts_with("h")) {
    if (const auto head = index_of(std::string_view(text).substr(1))) entries.push_back(head_entry(*trace, *head));
    return;
  }
  const bool letters = text.starts_with("l");
  const std::size_t split = text.find(letters ? 'h' : '.');
  if (split == std::string::npos) return;
  const std::string_view all = text;
  const auto layer = index_of(all.substr(letters ? 1 : 0, split - (letters ? 1 : 0)));
  const auto head = index_of(all.substr(split + 1));
  if (layer && head) entries.push_back(layer_head_entry(*trace, *layer, *head));
}

// Another layer is computed, unless it is the one that is shown.
void show_layer(Ui& ui, std::int64_t layer) {
  const auto trace = ui.session.trace();
  ui.session.view.layers.layer = layer;
  if (trace == nullptr || trace->model == nullptr || trace->model->layer == layer) return;
  ui.push(CommandId::set_option, fmt::format("layer={}", layer));
}

void show_head(Ui& ui, const PaletteEntry& entry) {
  if (entry.second >= 0) show_layer(ui, entry.second);
  ui.push(CommandId::select_head, std::to_string(entry.number));
}

void list_layers(Ui& ui, std::vector<PaletteEntry>& entries) {
  const auto trace = ui.session.trace();
  if (trace == nullptr || layers_of(*trace) < 2) return;
  for (std::int64_t layer = 0; layer < layers_of(*trace); ++layer) {
    entries.push_back({.label = fmt::format("layer {}", layer), .number = layer});
  }
}

// ---- tokens and cells

void list_tokens(Ui& ui, std::vector<PaletteEntry>& entries, bool queries) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return;
  const char* side = queries ? "query" : "key";
  const std::vector<std::string> labels = queries ? trace->query_labels() : trace->key_labels();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].empty()) continue;
    entries.push_back({.label = labels[i],
                       .right = fmt::format("{} {}", side, i),
                       .other_words = fmt::format("{} {} token {}", side, labels[i], i),
                       .number = static_cast<std::int64_t>(i),
                       .is_given = true});
  }
}

// The other side of the picked cell is unchanged.
void pick_token(Ui& ui, std::int64_t position, bool query) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return;
  Cell cell{0, 0};
  if (ui.session.view.cell && is_score_like(ui.session.view.stage)) cell = *ui.session.view.cell;
  (query ? cell.row : cell.column) = position;
  go_to_cell(ui, cell);
}

PaletteEntry cell_entry(const Trace& trace, std::int64_t query, std::int64_t key) {
  std::string refusal;
  if (query >= trace.query_len()) refusal = fmt::format("Queries are 0 to {}.", trace.query_len() - 1);
  if (key >= trace.key_len()) refusal = fmt::format("Keys are 0 to {}.", trace.key_len() - 1);
  PaletteEntry entry{
      .label = fmt::format("cell {}, {}", query, key), .refusal = refusal, .number = query, .second = key};
  if (!refusal.empty()) return entry;
  const std::vector<std::string> queries = trace.query_labels(), keys = trace.key_labels();
  const auto named = [](const std::vector<std::string>& labels, std::int64_t at) {
    return at < std::ssize(labels) ? labels[static_cast<std::size_t>(at)] : std::to_string(at);
  };
  entry.right = fmt::format("{} → {}", named(queries, query), named(keys, key));
  return entry;
}

// "4,3", "4 3", "it, animal": indices, or words of the text, the first place of each.
void spell_cell(Ui& ui, const std::string& typed, std::vector<PaletteEntry>& entries) {
  PanelData* data = panel_data(ui);
  if (data == nullptr || data->trace().find(StageId::weights) == nullptr) return;
  std::vector<std::string> sides;
  if (const std::size_t comma = typed.find(','); comma != std::string::npos) {
    for (const std::string& side : {typed.substr(0, comma), typed.substr(comma + 1)}) {
      const std::vector<std::string> words = typed_words(side);
      if (words.size() != 1) return;
      sides.push_back(words.front());
    }
  } else {
    sides = typed_words(typed);
    if (sides.size() == 3 && searchable(sides.front()) == "cell") sides.erase(sides.begin());
    if (sides.size() != 2 || !index_of(sides[0]) || !index_of(sides[1])) return;
  }
  const auto place = [](const std::string& side, const std::vector<std::string>& tokens) {
    if (const auto index = index_of(side)) return *index;
    const std::vector<std::int64_t> found = positions_named(side, tokens);
    return found.empty() ? std::int64_t{-1} : found.front();
  };
  const std::int64_t query = place(sides[0], data->rows(StageId::weights));
  const std::int64_t key = place(sides[1], data->columns(StageId::weights));
  if (query >= 0 && key >= 0) entries.push_back(cell_entry(data->trace(), query, key));
}

constexpr PaletteKind kKinds[] = {
    {"stage", true, list_stages, nullptr, show_stage},
    {"head", true, list_heads, spell_head, show_head},
    {"layer", true, list_layers, nullptr, [](Ui& ui, const PaletteEntry& entry) { show_layer(ui, entry.number); }},
    {"cell", false, nullptr, spell_cell,
     [](Ui& ui, const PaletteEntry& entry) {
       go_to_cell(ui, {entry.number, entry.second});
     }},
    {"query token", false, [](Ui& ui, std::vector<PaletteEntry>& entries) { list_tokens(ui, entries, true); }, nullptr,
     [](Ui& ui, const PaletteEntry& entry) { pick_token(ui, entry.number, true); }},
    {"key token", false, [](Ui& ui, std::vector<PaletteEntry>& entries) { list_tokens(ui, entries, false); }, nullptr,
     [](Ui& ui, const PaletteEntry& entry) { pick_token(ui, entry.number, false); }},
};

}  // namespace

std::vector<std::string> typed_words(std::string_view typed) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < typed.size();) {
    const std::size_t begin = typed.find_first_not_of(' ', at);
    if (begin == std::string_view::npos) break;
    at = std::min(typed.find(' ', begin), typed.size());
    words.emplace_back(typed.substr(begin, at - begin));
  }
  return words;
}

bool starts_number(std::string_view text) {
  const std::size_t digit = text.find_first_of("0123456789");
  return digit != std::string_view::npos && text.find_first_not_of("+-.") == digit;
}

std::span<const PaletteKind> palette_places() {
  return kKinds;
}

}  // namespace headscope::ui
