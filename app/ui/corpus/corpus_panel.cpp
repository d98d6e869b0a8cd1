// The view 'corpus': its header, where its parts stand, what is said while nothing is open.
#include "app/ui/corpus/corpus_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <utility>

#include "app/session/corpus_heads.h"
#include "app/session/session.h"
#include "app/ui/file_choice.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/widgets.h"
#include "core/corpus/corpus_report.h"

namespace headscope::ui {
namespace {

// Widths of the two columns at the right; the plane and the grid have what is left.
constexpr float kHead = 330, kExamples = 430, kLeast = 250;
constexpr float kFind = 260;

void draw_sentence(Ui& ui, const Rect& area, float& y, Rgba color, const std::string& sentence) {
  const float pad = ui.px(size::panel_padding);
  ui.mark("corpus/sentence: " + sentence, area);
  y += paragraph(ui, {{area.min.x + pad, y}, {std::min(area.max.x - pad, area.min.x + ui.px(640)), y}}, Type::words13,
                 color, sentence);
  y += ui.px(14);
}

// How to get in, and out.
void draw_ways(Ui& ui, const Rect& area, float y) {
  Rect line{{area.min.x + ui.px(size::panel_padding), std::round(y)}, {area.max.x, 0}};
  line.max.y = line.min.y + ui.px(size::control_height);
  if (button(ui, "corpus/open_file", take_left(line, ui.px(120), ui.px(8)), "Open .hsagg...",
             {true, false,
              "Ctrl+O does the same; dropping the file on the window, too. A folder that HeadVis shows opens as well."},
             true)) {
    ui.push(CommandId::open_file);
  }
  const std::string shipped = shipped_corpus();
  if (!shipped.empty() &&
      button(ui, "corpus/shipped", take_left(line, ui.px(190), ui.px(8)), "20,000 sentences of a demo",
             {true, false, "What the 32 heads of demo:stories do in tales that it was not trained on."})) {
    ui.push(CommandId::open_path, shipped);
  }
  if (button(ui, "corpus/leave", take_left(line, ui.px(110), ui.px(8)), "One layer",
             {true, false, "F2 or Esc does the same."})) {
    ui.push(CommandId::one_layer);
  }
}

void draw_header(Ui& ui, const CorpusShown& shown, const Rect& area) {
  Rect line{{area.min.x, std::round(area.center().y - ui.px(12))}, {area.max.x - ui.px(size::panel_padding), 0}};
  line.max.y = line.min.y + ui.px(size::control_height);
  if (button(ui, "corpus/copy", take_right(line, ui.px(90), ui.px(6)), "Copy table",
             {true, false, "Puts all heads and their means on the clipboard, as CSV."})) {
    ui.push(CommandId::corpus_table);
  }
  if (button(ui, "corpus/export", take_right(line, ui.px(78), ui.px(6)), "Export...",
             {true, false,
              "The plane, the grid and the picked head, or its points, as PNG, SVG or PDF. Ctrl+E does the same."})) {
    ui.push(CommandId::export_dialog);
  }
  draw_corpus_find(ui, shown, take_right(line, ui.px(kFind), ui.px(6)));
  const std::string problem = find_corpus_problem(ui, shown.table);
  const std::string fact = problem.empty() ? corpus_fact({shown.record, shown.table, shown.headvis}) : problem;
  const std::string file = std::filesystem::path(ui.session.view.corpus.file).filename().string();
  panel_header(ui, {area.min, {line.max.x, area.max.y}}, file, fact);
  ui.mark("corpus/fact: " + fact, area);
}

// The answer to what is asked now; until there is one the last. Null: none yet.
std::shared_ptr<const Corpora::Result> known_corpus(Ui& ui) {
  std::shared_ptr<const Corpora::Result>& last = ui.state.panels.get<CorpusPanelState>().last;
  const auto result = ui.session.background.corpora.want({ui.session.view.corpus.file});
  if (result != nullptr && result->question.file == ui.session.view.corpus.file) last = result;
  return last;
}

// The picked head, the chosen ones or the tree.
void draw_side(Ui& ui, const CorpusShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  const Rect tabs{{area.min.x + pad, area.min.y + ui.px(6)},
                  {area.max.x - pad, area.min.y + ui.px(6 + size::control_height)}};
  CorpusView& view = ui.session.view.corpus;
  int side = static_cast<int>(view.side);
  if (segments(ui, "corpus/side", tabs, {"head", "chosen", "clusters", "PCA"}, side,
               {true, false,
                "The picked head, the heads that are chosen, how alike heads are, or the picked head's queries, keys, "
                "values and outputs as points."})) {
    view.side = static_cast<CorpusSide>(side);
  }
  const Rect below{{area.min.x, tabs.max.y + ui.px(2)}, area.max};
  if (view.side == CorpusSide::chosen) return draw_corpus_chosen(ui, shown, below);
  if (view.side == CorpusSide::tree) return draw_corpus_tree(ui, shown, below);
  if (view.side == CorpusSide::points) return draw_corpus_points(ui, shown, below);
  draw_corpus_head(ui, shown, below);
}

void draw_parts(Ui& ui, const CorpusShown& shown, Rect body) {
  const float room = body.width();
  const float examples = std::max(ui.px(kLeast), std::min(ui.px(kExamples), std::round(room * 0.34f)));
  const float head = std::max(ui.px(kLeast), std::min(ui.px(kHead), std::round(room * 0.26f)));
  const Rect right = take_right(body, examples, 0), middle = take_right(body, head, 0);
  vertical_line(ui, right.min.x, right.min.y, right.max.y, ui.colors.line);
  vertical_line(ui, middle.min.x, middle.min.y, middle.max.y, ui.colors.line);
  // A few layers need little room.
  const float half = std::round(body.max.y - std::min(body.height() * 0.44f, corpus_grid_height(ui, shown)));
  horizontal_line(ui, body.min.x, body.max.x, half, ui.colors.line);
  draw_corpus_scatter(ui, shown, {body.min, {body.max.x, half}});
  draw_corpus_grid(ui, shown, {{body.min.x, half}, body.max});
  draw_side(ui, shown, middle);
  draw_corpus_examples(ui, shown, right);
}

}  // namespace

void draw_corpus_panel(Ui& ui, const Rect& area) {
  ui.mark("corpus", area);
  const Rect header{area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}};
  CorpusPanelState& state = ui.state.panels.get<CorpusPanelState>();
  float y = header.max.y + ui.px(4);
  if (ui.session.view.corpus.file.empty()) {
    state.last.reset();
    panel_header(ui, header, "", "what every head does over many phrases");
    say_finding(ui, MainView::corpus, "No corpus is open.");
    draw_sentence(
        ui, area, y, ui.colors.text,
        "No corpus is open. headscope-cli scan counts what every head of a model does over a list of phrases, "
        "and writes an .hsagg: open one, or drop it here. All of its heads are shown as points and as cells, "
        "and the phrases in which a head is strongest open in the microscope.");
    return draw_ways(ui, area, y);
  }
  const auto result = known_corpus(ui);
  if (result == nullptr || !result->answer) {
    panel_header(ui, header, "", std::filesystem::path(ui.session.view.corpus.file).filename().string());
    draw_sentence(ui, area, y, ui.colors.text, result == nullptr ? "Reading \u2026" : result->failure);
    if (result != nullptr) draw_ways(ui, area, y);
    return;
  }
  if (state.hovered != state.next_hovered) ui.state.wants_frame = true;
  state.hovered = std::exchange(state.next_hovered, std::nullopt);
  const CorpusShown shown = corpus_shown(ui, *result->answer);
  if (state.hovered && *state.hovered >= shown.table->heads.size()) state.hovered.reset();
  draw_header(ui, shown, header);
  horizontal_line(ui, area.min.x, area.max.x, header.max.y - 1, ui.colors.line);
  draw_parts(ui, shown, {{area.min.x, header.max.y}, area.max});
  open_waiting_point(ui, shown);
  const CorpusView& view = ui.session.view.corpus;
  const bool forgets = ui.state.focus.starts_with("corpus/") && (!view.chosen.empty() || !view.find.empty());
  if (forgets && ui.state.top_layer == 0 && ui.take_key(KeyName::escape)) forget_chosen(ui);
}

std::string corpus_focus(const Ui& ui) {
  return ui.session.view.corpus.file.empty() ? "corpus/open_file" : kCorpusGrid;
}

void choose_corpus_list(Ui& ui, const std::string& path) {
  if (!path.empty()) {
    ui.session.view.corpus.list = std::filesystem::absolute(path).lexically_normal().string();
    ui.session.view.main_view = MainView::corpus;
    std::erase_if(ui.state.notices, [](const Notice& notice) { return notice.key == "corpus/example"; });
    return;
  }
  ui.state.panels.get<FileChoice>().purpose = kCorpusListPurpose;
  ui.state.open_combo.clear();
  ui.state.dialog = DialogKind::choose_file;
}

void copy_corpus_table(Ui& ui) {
  const auto result = ui.state.panels.get<CorpusPanelState>().last;
  if (result == nullptr || !result->answer || !ui.set_clipboard) return;
  const CorpusContents& contents = *result->answer;
  std::vector<std::size_t> all(contents.table->heads.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  ui.set_clipboard(contents.headvis != nullptr ? heads_csv(*contents.table, all) : heads_csv(*contents.record));
  put_notice(
      ui.state,
      {Notice::Kind::info, fmt::format("{} heads are on the clipboard as CSV.", result->answer->record->heads.size()),
       "headscope-cli report --format csv writes their histograms and examples, too.", "corpus/copied"});
}

}  // namespace headscope::ui
