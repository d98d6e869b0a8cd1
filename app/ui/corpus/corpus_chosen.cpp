// The heads that the user chose: by the field, by lasso, one by one; listed with their means.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "app/session/corpus_heads.h"
#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/grouped_digits.h"
#include "core/corpus/corpus_report.h"

namespace headscope::ui {
namespace {

constexpr float kLine = 22, kName = 54;

bool comes_first(const LayerHead& a, const LayerHead& b) {
  return a.layer != b.layer ? a.layer < b.layer : a.head < b.head;
}

const HeadSearch& search_of(Ui& ui, const std::shared_ptr<const HeadTable>& table) {
  FoundHeads& found = ui.state.panels.get<CorpusPanelState>().found;
  const std::string& text = ui.session.view.corpus.find;
  if (found.table != table || found.text != text) found = {table, text, search_heads(*table, text)};
  return found.search;
}

// The next chosen head after the picked one, or the first.
void pick_next_chosen(Ui& ui, const CorpusShown& shown) {
  const std::vector<std::size_t>& heads = shown.chosen->heads;
  if (heads.empty()) return;
  const auto next = std::upper_bound(heads.begin(), heads.end(), shown.head);
  pick_head(ui, shown, next == heads.end() ? heads.front() : *next);
}

// What the columns of the list show: the axes, the colours, the grid's; each once.
std::vector<std::size_t> listed_means(Ui& ui, const HeadTable& table) {
  const CorpusView& view = ui.session.view.corpus;
  std::vector<std::size_t> means;
  for (const std::string* key : {&view.x, &view.y, &view.color, &view.grid}) {
    const std::size_t mean = shown_mean(table, *key);
    if (std::find(means.begin(), means.end(), mean) == means.end()) means.push_back(mean);
  }
  return means;
}

struct ListedColumns {
  std::vector<std::size_t> means;
  float width = 0;
};

void draw_line(Ui& ui, const ListedColumns& columns, const Rect& place, const std::string& name,
               const std::vector<std::string>& cells, Rgba ink) {
  Rect line = inset(place, ui.px(4));
  text_in(ui, take_left(line, ui.px(kName), ui.px(4)), Type::mono_bold11, ui.colors.text, name);
  for (const std::string& cell : cells) {
    text_in(ui, take_left(line, columns.width, 0), Type::mono11, ink, cell, 1);
  }
}

// The mean of a column over the chosen heads that have a value.
double mean_over(const HeadTable& table, std::size_t mean, const std::vector<std::size_t>& heads) {
  double sum = 0, count = 0;
  for (const std::size_t head : heads) {
    const double value = table.mean(mean, head);
    if (!std::isfinite(value)) continue;
    sum += value;
    count += 1;
  }
  return count > 0 ? sum / count : std::nan("");
}

// Means over all that are chosen, made once for them.
struct ChosenMeans {
  std::shared_ptr<const HeadTable> table;
  std::vector<std::size_t> heads;
  std::vector<double> of;  // one a mean of the table
};
const std::vector<double>& chosen_means(Ui& ui, const CorpusShown& shown) {
  ChosenMeans& known = ui.state.panels.get<ChosenMeans>();
  if (known.table == shown.table && known.heads == shown.chosen->heads) return known.of;
  known = {shown.table, shown.chosen->heads, {}};
  for (std::size_t mean = 0; mean < shown.table->keys.size(); ++mean) {
    known.of.push_back(mean_over(*shown.table, mean, known.heads));
  }
  return known.of;
}

void read_list_keys(Ui& ui, const CorpusShown& shown) {
  const std::vector<std::size_t>& heads = shown.chosen->heads;
  if (const std::optional<Cell> step = take_arrow(ui)) {
    const auto at = std::lower_bound(heads.begin(), heads.end(), shown.head);
    const bool on = at != heads.end() && *at == shown.head;
    const std::int64_t down = step->row + (!on && step->row > 0 ? -1 : 0);
    const std::int64_t to =
        std::clamp<std::int64_t>((at - heads.begin()) + down, 0, static_cast<std::int64_t>(heads.size()) - 1);
    pick_head(ui, shown, heads[static_cast<std::size_t>(to)]);
  } else if (ui.take_key(KeyName::space)) {
    toggle_head(ui, shown, shown.head);
  } else if (ui.take_key(KeyName::enter)) {
    open_example(ui, shown);
  }
}

void draw_list(Ui& ui, const CorpusShown& shown, const ListedColumns& columns, const Rect& list) {
  const std::vector<std::size_t>& heads = shown.chosen->heads;
  const float content = ui.px(kLine) * static_cast<float>(heads.size());
  const Interaction it = interact_mouse(ui, kCorpusChosen, list);
  const ScrollArea scroll = begin_scroll(ui, kCorpusChosen, list, content);
  const auto first = static_cast<std::size_t>(std::max(0.0f, std::floor(scroll.offset / ui.px(kLine))));
  const Rect rows{list.min, {list.max.x - (content > list.height() ? ui.px(10) : 0), list.max.y}};
  for (std::size_t k = first; k < heads.size(); ++k) {
    float y = list.min.y - scroll.offset + ui.px(kLine) * static_cast<float>(k);
    if (y > list.max.y) break;
    const Rect place = row(rows, y, ui.px(kLine));
    const std::size_t head = heads[k];
    if (ui.probe != nullptr) ui.mark("corpus/listed/" + shown.name_of(head), place);
    const bool hovered = it.hovered && place.contains(ImGui::GetIO().MousePos);
    if (hovered) ui.state.panels.get<CorpusPanelState>().next_hovered = head;
    if (head == shown.head || hovered)
      fill(place, head == shown.head ? ui.colors.tint : ui.colors.hover, ui.px(size::radius_control));
    std::vector<std::string> cells;
    for (const std::size_t mean : columns.means) cells.push_back(mean_text(shown.table->mean(mean, head)));
    draw_line(ui, columns, place, shown.name_of(head), cells, ui.colors.text2);
    if (hovered && it.clicked) pick_head(ui, shown, head);
  }
  end_scroll(ui);
  if (it.focused && !heads.empty()) read_list_keys(ui, shown);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(list, -ui.px(1)), ui.px(3));
}

void copy_chosen(Ui& ui, const CorpusShown& shown) {
  if (!ui.set_clipboard) return;
  ui.set_clipboard(heads_csv(*shown.table, shown.chosen->heads));
  put_notice(ui.state, {Notice::Kind::info,
                        fmt::format("{} chosen heads are on the clipboard as CSV.", shown.chosen->heads.size()),
                        "All of their means are in it.", "corpus/copied"});
}

}  // namespace

const ChosenHeads& chosen_heads(Ui& ui, const std::shared_ptr<const HeadTable>& table) {
  ChosenHeads& known = ui.state.panels.get<CorpusPanelState>().chosen;
  const std::vector<LayerHead>& of = ui.session.view.corpus.chosen;
  if (known.table == table && known.of == of) return known;
  known = {table, of, {}, std::vector<bool>(table->heads.size())};
  known.heads = chosen_of(ui.session.view.corpus, *table);
  for (const std::size_t head : known.heads) known.is[head] = true;
  return known;
}

void choose_heads(Ui& ui, const CorpusShown& shown, std::vector<std::size_t> heads, bool beside) {
  CorpusView& view = ui.session.view.corpus;
  std::vector<LayerHead> chosen;
  for (const std::size_t head : heads)
    chosen.push_back({shown.table->heads[head].layer, shown.table->heads[head].head});
  if (beside) chosen.insert(chosen.end(), view.chosen.begin(), view.chosen.end());
  std::sort(chosen.begin(), chosen.end(), comes_first);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  view.chosen = std::move(chosen);
  if (view.side == CorpusSide::head && view.chosen.size() > 1) view.side = CorpusSide::chosen;
  ui.state.wants_frame = true;
}

void toggle_head(Ui& ui, const CorpusShown& shown, std::size_t head) {
  std::vector<LayerHead>& chosen = ui.session.view.corpus.chosen;
  const LayerHead it{shown.table->heads[head].layer, shown.table->heads[head].head};
  const auto at = std::lower_bound(chosen.begin(), chosen.end(), it, comes_first);
  if (at != chosen.end() && *at == it) {
    chosen.erase(at);
  } else {
    chosen.insert(at, it);
  }
  ui.state.wants_frame = true;
}

void forget_chosen(Ui& ui) {
  CorpusView& view = ui.session.view.corpus;
  view.chosen.clear();
  view.find.clear();
  ui.state.panels.get<CorpusPanelState>().lasso.clear();
  if (view.side == CorpusSide::chosen) view.side = CorpusSide::head;
  ui.state.wants_frame = true;
}

std::string find_corpus_problem(Ui& ui, const std::shared_ptr<const HeadTable>& table) {
  return search_of(ui, table).problem;
}

void draw_corpus_find(Ui& ui, const CorpusShown& shown, const Rect& rect) {
  CorpusView& view = ui.session.view.corpus;
  const bool has_problem = !find_corpus_problem(ui, shown.table).empty();
  const bool changed = text_field(
      ui, kCorpusFind, rect, view.find, "find 5.1, 7.*, entropy < 1, like 5.1",
      {true, has_problem,
       "Chooses heads: 5.1, all of a layer as 7.*, those like one as like 5.1, or by a mean as entropy < 1; several "
       "with commas between. Enter picks the next one."});
  if (changed) {
    const HeadSearch& search = search_of(ui, shown.table);
    if (search.problem.empty()) choose_heads(ui, shown, search.heads, false);
    if (search.problem.empty() && search.heads.size() == 1) pick_head(ui, shown, search.heads.front());
  }
  if (ui.state.focus == kCorpusFind && ui.take_key(KeyName::enter)) pick_next_chosen(ui, shown);
}

void draw_corpus_chosen(Ui& ui, const CorpusShown& shown, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  const std::vector<std::size_t>& heads = shown.chosen->heads;
  Rect header{area.min, {area.max.x, area.min.y + ui.px(36)}};
  Rect line{{area.min.x, header.min.y + ui.px(6)}, {area.max.x - pad, header.min.y + ui.px(6 + size::control_height)}};
  if (button(ui, "corpus/chosen_clear", take_right(line, ui.px(56), ui.px(6)), "Clear",
             {!heads.empty(), false, "No head is chosen any more. Esc does the same."})) {
    return forget_chosen(ui);
  }
  if (button(ui, "corpus/chosen_copy", take_right(line, ui.px(56), ui.px(6)), "Copy",
             {!heads.empty(), false, "Puts the chosen heads with all of their means on the clipboard, as CSV."})) {
    copy_chosen(ui, shown);
  }
  const std::string fact = grouped_digits(std::ssize(heads)) + " of " + grouped_digits(std::ssize(shown.table->heads));
  panel_header(ui, {header.min, {line.max.x, header.max.y}}, "Chosen", fact);
  ui.mark("corpus/chosen_fact: " + fact, header);
  Rect body{{area.min.x + pad, header.max.y}, {area.max.x - pad, area.max.y - ui.px(6)}};
  if (heads.empty()) {
    paragraph(ui, {body.min, {body.max.x, body.min.y}}, Type::words12, ui.colors.text2,
              "No head is chosen. Draw a line around points, type into the field above, or press Space at a head; with "
              "Shift a line adds to what is chosen.");
    return;
  }
  ListedColumns columns{listed_means(ui, *shown.table), 0};
  columns.width = std::floor((body.width() - ui.px(kName + 26)) / static_cast<float>(columns.means.size()));
  std::vector<std::string> names, means;
  const std::vector<double>& of_all = chosen_means(ui, shown);
  for (const std::size_t mean : columns.means) {
    names.push_back(shortened_to(ui, Type::mono11, mean_words(shown.table->keys[mean]), columns.width - ui.px(8)));
    means.push_back(mean_text(of_all[mean]));
  }
  float y = body.min.y;
  draw_line(ui, columns, row(body, y, ui.px(kLine)), "head", names, ui.colors.text3);
  draw_line(ui, columns, row(body, y, ui.px(kLine)), "mean", means, ui.colors.text);
  horizontal_line(ui, body.min.x, body.max.x, y, ui.colors.line);
  draw_list(ui, shown, columns, {{body.min.x, y + ui.px(2)}, body.max});
}

}  // namespace headscope::ui
