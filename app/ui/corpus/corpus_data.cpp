// What the view 'corpus' asks of the background, and what picking and opening do.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/corpus_example.h"
#include "app/session/corpus_heads.h"
#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr std::size_t kMostWords = std::size_t{1} << 16;  // bytes of phrases that the atlas gets

// Whether `result` answers `question`, which LatestWork::want() was asked.
template <typename Result, typename Question>
AtHand at_hand(const std::shared_ptr<const Result>& result, const Question& question) {
  if (result == nullptr || !(result->question == question)) return AtHand::not_known_yet;
  return result->answer ? AtHand::yes : AtHand::no;
}

// The list beside the file, looked for once: a frame waits for no disk.
struct ListBeside {
  std::shared_ptr<const CorpusRecord> of;
  std::string path;
};

const std::string& known_list_beside(Ui& ui, const std::shared_ptr<const CorpusRecord>& record) {
  ListBeside& known = ui.state.panels.get<ListBeside>();
  if (known.of != record) known = {record, list_beside(ui.session.view.corpus.file)};
  return known.path;
}

void find_list(Ui& ui, CorpusShown& shown) {
  const CorpusView& view = ui.session.view.corpus;
  shown.list = view.list.empty() ? known_list_beside(ui, shown.record) : view.list;
  if (shown.list.empty()) return;
  const CorpusListQuery query{shown.record, shown.list};
  const auto result = ui.session.background.corpus_lists.want(query);
  shown.has_list = at_hand(result, query);
  if (shown.has_list == AtHand::yes) shown.phrases = *result->answer;
  if (shown.has_list == AtHand::no) shown.list_problem = result->failure;
}

void find_model(Ui& ui, CorpusShown& shown) {
  shown.model = model_for(*shown.record, ui.session.draft);
  // The weights of a model that is no demo may be many gigabytes: they are read when nothing else is missing.
  const bool waits = !shown.model.starts_with("demo:") && shown.has_list != AtHand::yes;
  if (shown.model.empty() || waits) return;
  const CorpusModelQuery query{shown.record, shown.model};
  const auto result = ui.session.background.corpus_models.want(query);
  shown.has_model = at_hand(result, query);
  if (shown.has_model == AtHand::yes) shown.tokenizer = *result->answer;
  if (shown.has_model == AtHand::no) shown.model_problem = result->failure;
}

void find_texts(Ui& ui, CorpusShown& shown) {
  if (shown.phrases == nullptr) return;
  const CorpusPhrasesQuery query{shown.record, shown.phrases, shown.tokenizer, *shown.examples};
  const auto result = ui.session.background.corpus_phrases.want(query);
  if (at_hand(result, query) == AtHand::not_known_yet) return;
  shown.texts = result;
  CorpusPanelState& state = ui.state.panels.get<CorpusPanelState>();
  if (!result->answer || state.lines.of == result) return;
  state.words.clear();
  for (const CorpusPhrase& phrase : *result->answer) {
    if (state.words.size() + phrase.text.size() < kMostWords) state.words += phrase.text;
  }
}

void find_points(Ui& ui, CorpusShown& shown) {
  const PointsView& view = ui.session.view.corpus.points;
  shown.point_kind = vector_kind_named(view.vectors).value_or(VectorKind::query);
  const CorpusRecord& record = *shown.record;
  if (record.points.empty() || record.facts.vector_sizes[static_cast<std::size_t>(shown.point_kind)] == 0) return;
  shown.point = static_cast<std::size_t>(std::min(view.point, static_cast<std::int64_t>(record.points.size()) - 1));
  const HeadPointsQuery query{shown.record, shown.head, shown.point_kind};
  const auto points = ui.session.background.points_of_head.want(query);
  if (at_hand(points, query) == AtHand::yes) shown.points = points;
  if (shown.phrases == nullptr || shown.tokenizer == nullptr) return;
  const CorpusPointQuery of_phrase{shown.record, shown.phrases, shown.tokenizer, shown.point};
  const auto phrase = ui.session.background.corpus_point_phrases.want(of_phrase);
  if (at_hand(phrase, of_phrase) != AtHand::not_known_yet) shown.point_phrase = phrase;
}

// Rows of every tenth, the last tenth first.
const std::vector<CorpusExample>& examples_by_tenths(Ui& ui, const CorpusShown& shown) {
  ExamplesByTenths& made = ui.state.panels.get<CorpusPanelState>().tenths;
  if (made.record == shown.record && made.head == shown.head) return made.examples;
  made = {shown.record, shown.head, {}};
  for (std::size_t tenth = kDeciles; tenth-- > 0;) {
    const std::vector<CorpusExample>& rows = shown.picked().samples[tenth];
    made.examples.insert(made.examples.end(), rows.begin(), rows.end());
  }
  return made.examples;
}

// HeadVis's folder has metrics of its own: in place of those that it lacks the first ones are shown, on every axis
// another.
void take_own_means(CorpusView& view, const HeadTable& table) {
  std::size_t next = 0;
  for (std::string* key : {&view.x, &view.y, &view.color, &view.grid}) {
    if (!table.mean_named(*key)) *key = table.keys[next % table.keys.size()];
    ++next;
  }
}

}  // namespace

std::string CorpusShown::name_of(std::size_t index) const {
  return fmt::format("{}.{}", table->heads[index].layer, table->heads[index].head);
}

CorpusShown corpus_shown(Ui& ui, const CorpusContents& contents) {
  const CorpusView& view = ui.session.view.corpus;
  CorpusShown shown;
  shown.record = contents.record;
  shown.table = contents.table;
  shown.headvis = contents.headvis;
  shown.chosen = &chosen_heads(ui, shown.table);
  shown.head = picked_of(view, *shown.table);
  shown.by_tenths = view.examples == ExamplesOf::tenths && shown.headvis == nullptr;
  shown.examples = shown.by_tenths ? &examples_by_tenths(ui, shown) : &shown.picked().top;
  if (shown.headvis != nullptr) {
    take_own_means(ui.session.view.corpus, *shown.table);
    find_headvis(ui, shown);
  } else {
    find_list(ui, shown);
    find_model(ui, shown);
    find_texts(ui, shown);
  }
  const auto examples = static_cast<std::int64_t>(shown.examples->size());
  shown.example =
      static_cast<std::size_t>(std::clamp<std::int64_t>(view.example, 0, std::max<std::int64_t>(examples - 1, 0)));
  const HeadsLikeQuery query{shown.table, shown.head, kMostAlike};
  const auto among = ui.session.background.heads_like_one.want(query);
  if (at_hand(among, query) == AtHand::yes) shown.among = among;
  if (view.side == CorpusSide::tree) find_tree(ui, shown);
  if (view.side == CorpusSide::points && shown.headvis == nullptr) find_points(ui, shown);
  return shown;
}

void pick_head(Ui& ui, const CorpusShown& shown, std::size_t head) {
  const HeadTable::Head& picked = shown.table->heads[head];
  CorpusView& view = ui.session.view.corpus;
  view.head = Cell{picked.layer, picked.head};
  view.example = 0;
  ui.state.wants_frame = true;
}

void read_head_keys(Ui& ui, const CorpusShown& shown) {
  if (const std::optional<Cell> step = take_arrow(ui)) {
    pick_head(ui, shown, shown.table->beside(shown.head, step->row, step->column));
  } else if (ui.take_key(KeyName::home)) {
    pick_head(ui, shown, 0);
  } else if (ui.take_key(KeyName::end)) {
    pick_head(ui, shown, shown.table->heads.size() - 1);
  } else if (ui.take_key(KeyName::space)) {
    toggle_head(ui, shown, shown.head);
  } else if (ui.take_key(KeyName::enter)) {
    open_example(ui, shown);
  }
}

namespace {

// Why no phrase of the list can be opened now; "" when they can.
std::string source_obstacle(const CorpusShown& shown) {
  if (shown.has_list == AtHand::not_known_yet) return "The list of phrases is being read.";
  if (shown.has_list == AtHand::no) {
    return shown.list_problem.empty() ? "The file has the places of its examples, and no text: open the list that was "
                                        "scanned."
                                      : shown.list_problem;
  }
  if (shown.has_model == AtHand::not_known_yet) return "The weights of " + shown.model + " are being compared.";
  if (shown.has_model == AtHand::no) {
    return shown.model_problem.empty()
               ? fmt::format("The model is {}, of weights with the sha256 {}: open its folder (File, Open folder).",
                             shown.record->facts.model, shown.record->facts.sha256)
               : shown.model_problem;
  }
  return "";
}

void say_obstacle(Ui& ui, const CorpusShown& shown, const std::string& obstacle) {
  Notice notice{Notice::Kind::info, "Not opened.", obstacle, "corpus/example"};
  if (shown.has_list == AtHand::no && shown.headvis == nullptr) {
    notice.button = "Open list...";
    notice.command = {CommandId::corpus_list, ""};
  }
  put_notice(ui.state, notice);
}

}  // namespace

void open_in_microscope(Ui& ui, const Document& document) {
  ui.session.open(document.request, document.view, document.identity());
  ui.state.edits.clear();
  ui.state.focus = "inspector/picture";
  ui.state.wants_frame = true;
}

std::string example_obstacle(const CorpusShown& shown) {
  if (shown.headvis != nullptr) return headvis_obstacle(shown);
  if (shown.examples->empty()) return "No phrase was kept of this head.";
  if (const std::string obstacle = source_obstacle(shown); !obstacle.empty()) return obstacle;
  if (shown.texts == nullptr) return "The phrases are being read.";
  return shown.texts->answer ? "" : shown.texts->failure;
}

void open_example(Ui& ui, const CorpusShown& shown) {
  if (const std::string obstacle = example_obstacle(shown); !obstacle.empty()) return say_obstacle(ui, shown, obstacle);
  if (shown.headvis != nullptr) return open_sequence(ui, shown);
  const CorpusPhrase& phrase = (*shown.texts->answer)[shown.example];
  open_in_microscope(ui, example_document(*shown.record, {shown.head, (*shown.examples)[shown.example], shown.model},
                                          phrase, ui.session.draft, ui.session.view));
}

void open_point(Ui& ui, const CorpusShown& shown, std::size_t point) {
  ui.session.view.corpus.points.point = static_cast<std::int64_t>(point);
  ui.state.wants_frame = true;
  if (const std::string obstacle = source_obstacle(shown); !obstacle.empty()) return say_obstacle(ui, shown, obstacle);
  ui.state.panels.get<CorpusPanelState>().opens_point = point;
}

void open_waiting_point(Ui& ui, const CorpusShown& shown) {
  std::optional<std::size_t>& waits = ui.state.panels.get<CorpusPanelState>().opens_point;
  if (!waits) return;
  const bool shows = ui.session.view.corpus.side == CorpusSide::points && *waits == shown.point;
  if (!shows && ui.session.view.corpus.points.point != static_cast<std::int64_t>(*waits)) waits.reset();
  if (!shows || shown.point_phrase == nullptr) return;
  waits.reset();
  if (!shown.point_phrase->answer) return say_obstacle(ui, shown, shown.point_phrase->failure);
  open_in_microscope(ui, point_document(*shown.record, {shown.head, shown.point, shown.model},
                                        *shown.point_phrase->answer, ui.session.draft, ui.session.view));
}

std::string mean_text(double value) {
  if (!std::isfinite(value)) return "none";
  return number_label(value, std::fabs(value) < 10 ? 3 : 1);
}

std::size_t shown_mean(const HeadTable& table, const std::string& key) {
  return table.mean_named(key).value_or(0);
}

void mean_combo(Ui& ui, const HeadTable& table, const std::string& name, const Rect& rect, std::string& key,
                const char* tooltip) {
  std::vector<std::string> items;
  std::vector<std::size_t> means;
  int selected = 0;
  for (std::size_t mean = 0; mean < table.keys.size(); ++mean) {
    if (!table.held[mean]) continue;
    if (mean == shown_mean(table, key)) selected = static_cast<int>(items.size());
    items.push_back(mean_words(table.keys[mean]));
    means.push_back(mean);
  }
  if (combo(ui, name, rect, items, selected, {{true, false, tooltip}, Type::words12})) {
    key = table.keys[means[static_cast<std::size_t>(selected)]];
  }
}

}  // namespace headscope::ui
