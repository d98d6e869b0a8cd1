// A head of the folder that HeadVis shows: its plots and tables, and its sequences as examples.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kSays = 26;
constexpr std::size_t kMostTokensShown = 8;

// The largest weight that is neither of the first query nor to the first key, as HeadVis takes it; else the largest.
CorpusExample example_of(const HeadVisSequence& sequence) {
  const auto tokens = static_cast<std::int64_t>(sequence.tokens.size());
  CorpusExample strongest, behind_first;
  strongest.value = behind_first.value = -1;
  for (std::size_t k = 0; k < sequence.indices.size(); ++k) {
    const std::int64_t query = sequence.indices[k] / tokens, key = sequence.indices[k] % tokens;
    const auto value = static_cast<float>(sequence.values[k]);
    const CorpusExample each{value, 0, sequence.interval, query, key};
    if (value > strongest.value) strongest = each;
    if (query > 0 && key > 0 && value > behind_first.value) behind_first = each;
  }
  CorpusExample example = behind_first.value >= 0 ? behind_first : strongest;
  example.value = std::max(0.0f, example.value);
  example.phrase = sequence.interval;
  return example;
}

// The weights of one row that the folder has.
std::vector<TokenWeight> row_of(const HeadVisSequence& sequence, std::int64_t query) {
  const auto tokens = static_cast<std::int64_t>(sequence.tokens.size());
  std::vector<TokenWeight> row;
  for (std::size_t k = 0; k < sequence.indices.size(); ++k) {
    const std::int64_t index = sequence.indices[k];
    if (index / tokens == query) row.push_back({index % tokens, static_cast<float>(sequence.values[k])});
  }
  std::sort(row.begin(), row.end(), [](const TokenWeight& a, const TokenWeight& b) { return a.token < b.token; });
  return row;
}

CorpusPhrase phrase_of_sequence(const HeadVisSequence& sequence) {
  CorpusPhrase phrase;
  // Tokens that are words have no blanks of their own.
  const bool words = std::none_of(sequence.tokens.begin(), sequence.tokens.end(), [](const std::string& token) {
    return token.starts_with(' ') || token.starts_with("\u2581") || token.starts_with("\u0120");
  });
  for (const std::string& token : sequence.tokens) {
    phrase.pieces.push_back(token);
    phrase.text += (words && !phrase.text.empty() ? " " : "") + token;
  }
  phrase.ids.resize(phrase.pieces.size());
  return phrase;
}

HeadVisExamples examples_of(const std::shared_ptr<const HeadVisHeads::Result>& result) {
  HeadVisExamples made{result, {}, {}, nullptr};
  const std::vector<HeadVisSequence>& sequences = result->answer->sequences;
  std::vector<CorpusExample> all;
  for (const HeadVisSequence& sequence : sequences) all.push_back(example_of(sequence));
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return all[a].phrase != all[b].phrase ? all[a].phrase > all[b].phrase : all[a].value > all[b].value;
  });
  std::vector<CorpusPhrase> phrases;
  for (const std::size_t at : order) {
    made.examples.push_back(all[at]);
    made.rows.push_back(row_of(sequences[at], all[at].query));
    phrases.push_back(phrase_of_sequence(sequences[at]));
  }
  made.texts = std::make_shared<const CorpusPhrases::Result>(CorpusPhrases::Result{{}, std::move(phrases), "", true});
  return made;
}

struct FolderPlot {
  std::string label;
  const HeadVisHistogram* histogram = nullptr;
};

std::string label_of(const std::vector<HeadVisLabel>& labels, const std::string& key) {
  const auto found =
      std::find_if(labels.begin(), labels.end(), [&](const HeadVisLabel& label) { return label.key == key; });
  return found == labels.end() ? mean_words(key) : found->label;
}

std::vector<FolderPlot> plots_of(const CorpusShown& shown) {
  std::vector<FolderPlot> plots;
  if (shown.headvis_head == nullptr || !shown.headvis_head->answer) return plots;
  for (const auto& [key, histogram] : shown.headvis_head->answer->plots) {
    const bool whole = !histogram.values.empty() && histogram.edges.size() == histogram.values.size() + 1;
    if (whole) plots.push_back({label_of(shown.headvis->config.plots, key), &histogram});
  }
  return plots;
}

// The first lines of one of the folder's tables.
std::vector<TokenLine> lines_of(const std::vector<HeadVisToken>& table) {
  std::vector<TokenLine> lines;
  for (std::size_t k = 0; k < std::min(table.size(), kMostTokensShown); ++k) {
    lines.push_back({table[k].token, table[k].weight, mean_text(table[k].weight)});
  }
  return lines;
}

}  // namespace

void find_headvis(Ui& ui, CorpusShown& shown) {
  const HeadTable::Head& head = shown.table->heads[shown.head];
  const HeadVisHeadQuery query{shown.headvis, ui.session.view.corpus.file, {head.layer, head.head}};
  const auto result = ui.session.background.headvis_heads.want(query);
  static const std::vector<CorpusExample> kNone;
  shown.examples = &kNone;
  if (result == nullptr || !(result->question == query)) return;
  shown.headvis_head = result;
  if (!result->answer) return;
  CorpusPanelState& state = ui.state.panels.get<CorpusPanelState>();
  if (state.headvis.of != result) {
    state.headvis = examples_of(result);
    state.words.clear();
    for (const CorpusPhrase& phrase : *state.headvis.texts->answer) state.words += phrase.text;
    for (const auto& [key, table] : result->answer->tables) {
      for (const HeadVisToken& token : table) state.words += token.token;
    }
  }
  shown.examples = &state.headvis.examples;
  shown.rows = &state.headvis.rows;
  shown.texts = state.headvis.texts;
  find_headvis_model(ui, shown);
}

float headvis_plots_height(const Ui& ui, const CorpusShown& shown) {
  float height = histogram_height(ui) * static_cast<float>(plots_of(shown).size());
  if (shown.headvis_head == nullptr || !shown.headvis_head->answer) return height + ui.px(2 * kSays);
  for (const auto& [key, table] : shown.headvis_head->answer->tables) {
    height += token_table_height(ui, lines_of(table).size());
  }
  return height;
}

void draw_headvis_plots(Ui& ui, const CorpusShown& shown, const Rect& area, float& y) {
  if (shown.headvis_head == nullptr || !shown.headvis_head->answer) {
    const Rect place = row(area, y, ui.px(2 * kSays));
    const std::string words = shown.headvis_head == nullptr ? "Reading \u2026" : shown.headvis_head->failure;
    ui.mark("corpus/headvis_says: " + words, place);
    paragraph(ui, {place.min, {place.max.x, place.min.y}}, Type::words12, ui.colors.warn, words);
    return;
  }
  for (const FolderPlot& plot : plots_of(shown)) {
    const std::vector<double>& values = plot.histogram->values;
    double sum = 0;
    for (const double value : values) sum += value;
    std::vector<double> shares;
    for (const double value : values) shares.push_back(sum > 0 ? value / sum : 0);
    const std::string fact = fmt::format("tallest {:.0f} %", tallest_bin(shares, {}) * 100);
    draw_histogram(ui, {plot.label, fact, "", shares, {}, plot.histogram->edges}, area, y);
  }
  for (const auto& [key, table] : shown.headvis_head->answer->tables) {
    draw_token_table(ui, label_of(shown.headvis->config.tables, key), "", lines_of(table), area, y);
  }
}

}  // namespace headscope::ui
