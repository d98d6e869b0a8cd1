// What decides which arcs are drawn: heads, the least weight, sentences; the keys of this view.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <utility>

#include "app/session/export/export_job.h"
#include "app/session/folder_listing.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/ui/heads/arcs.h"
#include "app/ui/widgets/widgets.h"
#include "core/heads/arcs.h"
#include "core/heads/sentences.h"

namespace headscope::ui {
namespace {

float button_width(Ui& ui, const char* words, float least) {
  return std::max(ui.px(least), std::ceil(text_width(ui, Type::words12, words)) + ui.px(16));
}

constexpr const char* kHideTip = "Links of a smaller weight are not drawn.";
constexpr const char* kSentencesTip =
    "The text has two parts, A and B: draw only the links from queries of one to keys of one.";

constexpr int kMostChipRows = 3;  // more of them scroll

// A square in the head's colour, filled while its arcs are drawn, and its number.
Interaction head_chip(Ui& ui, const Rect& rect, std::int64_t head, bool on) {
  const std::string name = fmt::format("heads/arcs/{}", head);
  const std::string key = head < 10 ? fmt::format(" (key {})", head) : std::string();
  const std::string tip = fmt::format("Lines of head {}: on or off{}. Double click: of this head alone.", head, key);
  const Interaction it = interact(ui, name, rect, {true, false, tip.c_str()});
  const float radius = ui.px(size::radius_control);
  fill(rect, on ? ui.colors.tint : it.hovered ? ui.colors.hover : ui.colors.raised, radius);
  outline(ui, rect, on ? head_color(head) : it.hovered ? ui.colors.text2 : ui.colors.edge, on ? 1.5f : 1, radius);
  const float side = ui.px(10), top = std::round(rect.center().y - side / 2);
  const Rect square{{rect.min.x + ui.px(7), top}, {rect.min.x + ui.px(7) + side, top + side}};
  if (on) {
    fill(square, head_color(head));
  } else {
    outline(ui, square, head_color(head), 1.5f);
  }
  text_in(ui, {{square.max.x + ui.px(6), rect.min.y}, rect.max}, on ? Type::mono_bold12 : Type::mono12,
          on ? ui.colors.text : ui.colors.text2, std::to_string(head));
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, rect, radius);
  return it;
}

void show_heads(ViewState& view, std::optional<std::vector<std::int64_t>> heads) {
  view.arcs_chosen = true;
  view.arcs_heads = std::move(heads);
}

// Where the chips lie: in rows of so many, some of which are seen.
struct ChipPlaces {
  Rect area;
  std::int64_t columns = 1, rows = 1;
  float chip = 0, gap = 0, pitch = 0;
  bool scrolls() const { return rows > kMostChipRows; }
};

ChipPlaces chip_places(const Ui& ui, std::int64_t heads, ImVec2 at, float right) {
  ChipPlaces places;
  places.chip = ui.px(heads > 10 ? 48 : 44);
  places.gap = ui.px(6);
  places.pitch = ui.px(size::row_height);
  const auto fitting = [&](float width) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>((width + places.gap) / (places.chip + places.gap)));
  };
  const auto rows_of = [&](std::int64_t columns) { return std::max<std::int64_t>(1, (heads + columns - 1) / columns); };
  places.columns = fitting(right - at.x);
  places.rows = rows_of(places.columns);
  if (places.scrolls()) {  // beside the scroll bar
    places.columns = fitting(right - at.x - ui.px(14));
    places.rows = rows_of(places.columns);
  }
  const float height = static_cast<float>(std::min<std::int64_t>(places.rows, kMostChipRows)) * places.pitch;
  places.area = {at, {right, at.y + height}};
  return places;
}

void draw_chips(Ui& ui, const ChipPlaces& places, std::int64_t heads) {
  ViewState& view = ui.session.view;
  const std::vector<std::int64_t> shown = arcs_heads(view, heads);
  const float content = places.scrolls() ? static_cast<float>(places.rows) * places.pitch : 0;
  const float offset = begin_scroll(ui, "heads/arcs", places.area, content).offset;
  for (std::int64_t head = 0; head < heads; ++head) {
    const float x = places.area.min.x + static_cast<float>(head % places.columns) * (places.chip + places.gap);
    const float y = places.area.min.y + static_cast<float>(head / places.columns) * places.pitch - offset;
    const Rect place{{x, y}, {x + places.chip, y + ui.px(size::control_height)}};
    const Interaction it = head_chip(ui, place, head, std::binary_search(shown.begin(), shown.end(), head));
    std::int64_t& soloed = ui.state.panels.get<ArcsState>().soloed;
    if (it.double_clicked) soloed = head;
    if (!it.clicked) continue;
    if (std::exchange(soloed, -1) == head) {
      show_heads(view, std::vector{head});
    } else {
      toggle_arcs_head(view, heads, head);
    }
  }
  end_scroll(ui);
}

// "lines.svg", "lines-2.svg" ...: nothing is replaced without being asked.
std::string unused_name(const std::string& folder, const std::string& file) {
  const std::filesystem::path path = file;
  for (int n = 1;; ++n) {
    const std::string name = n == 1 ? file : path.stem().string() + "-" + std::to_string(n) + path.extension().string();
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::path(folder) / name, ignored)) return name;
  }
}

void save_svg(Ui& ui, PanelData& data) {
  const auto trace = ui.session.trace();
  if (trace == nullptr) return;
  // Of a preview nothing is written: the exact numbers are on their way.
  ui.state.panels.get<ArcsState>().save_waits = trace->preview;
  if (trace->preview) return;
  ExportChoice choice;
  choice.subject = ui.session.view.heads_show == HeadsShow::arcs ? ExportSubject::arcs : ExportSubject::neurons;
  choice.format = ExportFile::svg;
  choice.scale = 1;
  choice.theme = ui.settings.theme;
  choice.folder = ui.settings.export_folder.empty() ? default_export_folder() : ui.settings.export_folder;
  ViewState view = ui.session.view;
  if (view.heads_show == HeadsShow::neurons) view.cell = arcs_focus(ui, data).pair;  // what is shown, picked or not
  choice.file = unused_name(choice.folder, suggested_file(choice, *trace, view, ui.session.document.title));
  ui.session.jobs.start("Save " + choice.file,
                        [=](const CancelToken& cancel, const std::function<void(double)>& progress) {
                          return write_export(choice, *trace, view, cancel, progress);
                        });
}

void save_when_exact(Ui& ui, PanelData& data) {
  const auto trace = ui.session.trace();
  if (!ui.state.panels.get<ArcsState>().save_waits || trace == nullptr || trace->preview) return;
  save_svg(ui, data);
}

bool types_text(const std::string& focus) {
  return !focus.empty() && !focus.starts_with("heads") && !focus.starts_with("inspector") &&
         !focus.starts_with("tokens");
}

}  // namespace

ArcsFocus arcs_focus(Ui& ui, PanelData& data) {
  ArcsFocus focus{selection_of(ui.session.view, data.trace()), std::nullopt, false};
  const Trace& trace = data.trace();
  const auto& cell = ui.session.view.cell;
  const bool score_like = is_score_like(ui.session.view.stage);
  if (cell && score_like && cell->row < trace.query_len() && cell->column < trace.key_len()) {
    focus.pair = cell;
    // A picture remembers the query alone.
    if (cell->column < 0)
      focus.pair->column = strongest_key(trace, focus.selection.batch, focus.selection.head, cell->row);
    ui.session.view.cell = focus.pair;
    focus.picked = true;
    return focus;
  }
  const HeadSummary* summary = data.summary(focus.selection.batch, focus.selection.head);
  if (summary == nullptr || trace.query_len() == 0 || trace.key_len() == 0) return focus;
  focus.pair = Cell{0, 0};
  if (summary->query >= 0 && summary->key >= 0) {
    focus.pair = Cell{summary->query, summary->key};
  } else {
    focus.pair->column = strongest_key(trace, focus.selection.batch, focus.selection.head, 0);
  }
  return focus;
}

std::vector<std::int64_t> arcs_heads(const ViewState& view, std::int64_t num_heads) {
  std::vector<std::int64_t> heads;
  if (!view.arcs_chosen) {
    if (num_heads > 0) heads.push_back(std::clamp<std::int64_t>(view.head, 0, num_heads - 1));
    return heads;
  }
  if (view.arcs_heads) {
    for (const std::int64_t head : *view.arcs_heads) {
      if (head < num_heads) heads.push_back(head);
    }
    return heads;
  }
  heads.resize(static_cast<std::size_t>(num_heads));
  std::iota(heads.begin(), heads.end(), 0);
  return heads;
}

void toggle_arcs_head(ViewState& view, std::int64_t num_heads, std::int64_t head) {
  std::vector<std::int64_t> heads = arcs_heads(view, num_heads);
  if (std::erase(heads, head) == 0) {
    heads.insert(std::lower_bound(heads.begin(), heads.end(), head), head);
  }
  const bool all = std::ssize(heads) == num_heads;
  show_heads(view, all ? std::nullopt : std::optional(std::move(heads)));
}

Rect draw_heads_title(Ui& ui, const Rect& header) {
  Rect rest = panel_header(ui, header, "Heads", "");
  const float top = std::round(rest.center().y - ui.px(12));
  rest = {{std::round(rest.min.x), top}, {rest.max.x, top + ui.px(size::control_height)}};
  const Rect place = take_left(rest, ui.px(kHeadsShowWidth), ui.px(12));
  int selected = static_cast<int>(ui.session.view.heads_show);
  const ControlState control{true, false,
                             "one: the picked head large, with what it looks at. grid: a map a head. arcs: lines from "
                             "queries to keys. neurons: one query's features against those of every key."};
  if (segments(ui, "heads/show", place, {"one", "grid", "arcs", "neurons"}, selected, control)) {
    ui.session.view.heads_show = static_cast<HeadsShow>(selected);
    note_heads_chosen(ui);
  }
  return rest;
}

float draw_arcs_controls(Ui& ui, PanelData& data, const Rect& area) {
  ViewState& view = ui.session.view;
  const std::int64_t heads = data.trace().num_heads();
  const float height = ui.px(size::control_height), pitch = ui.px(size::row_height);
  const float slider_width = ui.px(64) + ui.px(8) + ui.px(78);
  const float label = std::ceil(text_width(ui, Type::words12, "heads")) + ui.px(10);
  float y = area.min.y + ui.px(2);
  Rect first{{area.min.x, y}, {area.max.x, y + height}};
  text_in(ui, take_left(first, label, 0), Type::words12, ui.colors.text2, "heads");
  const bool all = view.arcs_chosen && !view.arcs_heads;
  if (button(ui, "heads/arcs/all", take_left(first, button_width(ui, "all", 40), ui.px(6)), "all",
             {!all, false, all ? "The lines of all heads are drawn." : "Draws the lines of all heads."})) {
    show_heads(view, std::nullopt);
  }
  const bool none = view.arcs_chosen && view.arcs_heads && view.arcs_heads->empty();
  if (button(ui, "heads/arcs/none", take_left(first, button_width(ui, "none", 50), ui.px(10)), "none",
             {!none, false, none ? "No lines are drawn." : "Draws no lines, to switch heads on one by one."})) {
    show_heads(view, std::vector<std::int64_t>());
  }
  // The first line leaves room for the slider when all heads fit beside it.
  ChipPlaces chips = chip_places(ui, heads, first.min, first.max.x - slider_width - ui.px(10));
  const bool beside = chips.rows == 1;
  if (!beside) chips = chip_places(ui, heads, first.min, first.max.x);
  draw_chips(ui, chips, heads);
  y = beside ? y : chips.area.max.y;
  Rect line{{beside ? area.max.x - slider_width : area.min.x, y}, {area.max.x, y + height}};
  if (!beside) line.max.x = line.min.x + slider_width;
  text_in(ui, take_left(line, ui.px(64), ui.px(8)), Type::words12, ui.colors.text2, "hide below");
  slider(ui, "heads/hide_below", line, view.arcs_hide_below, {.low = 0, .high = 1}, {true, false, kHideTip});
  if (second_part(data.trace())) {
    const float width = ui.px(280), words = ui.px(72);
    const bool fits = !beside && line.max.x + ui.px(20) + words + width <= area.max.x;
    if (!fits) y += pitch;
    const float left = fits ? line.max.x + ui.px(20) : area.min.x;
    text_in(ui, {{left, y}, {left + words, y + height}}, Type::words12, ui.colors.text2, "sentences");
    int pair = static_cast<int>(view.arcs_sentences);
    if (segments(ui, "heads/sentences", {{left + words, y}, {left + words + width, y + height}},
                 {"all", "A to A", "A to B", "B to A", "B to B"}, pair, {true, false, kSentencesTip})) {
      view.arcs_sentences = static_cast<SentencePair>(pair);
    }
  }
  return y + pitch;
}

void read_arcs_keys(Ui& ui, PanelData& data) {
  save_when_exact(ui, data);
  if (types_text(ui.state.focus) || ui.state.focus == "heads/hide_below" || !ui.on_top()) return;
  if (ui.session.view.heads_show == HeadsShow::arcs) {
    const std::int64_t heads = data.trace().num_heads();
    for (std::int64_t head = 0; head < std::min<std::int64_t>(heads, 10); ++head) {
      const auto key = static_cast<KeyName>(static_cast<int>(KeyName::zero) + static_cast<int>(head));
      if (ui.take_key(key)) toggle_arcs_head(ui.session.view, heads, head);
    }
  }
  if (ui.take_key(KeyName::s)) save_svg(ui, data);
}

}  // namespace headscope::ui
