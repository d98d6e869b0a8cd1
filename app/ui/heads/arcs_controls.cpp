// What decides which arcs are drawn: heads, the least weight, sentences; the keys of this view.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

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

constexpr const char* kHideTip = "Links of a smaller weight are not drawn.";
constexpr const char* kSentencesTip =
    "The text has two parts, A and B: draw only the links from queries of one to keys of one.";

// A square in the head's colour, filled while its arcs are drawn, and its number.
bool head_chip(Ui& ui, const Rect& rect, std::int64_t head, bool on, std::size_t place) {
  const std::string name = fmt::format("heads/arcs/{}", head);
  const std::string tip = place < 9 ? fmt::format("Lines of head {}: on or off (key {}).", head, place + 1)
                                    : fmt::format("Lines of head {}: on or off.", head);
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
  return it.clicked;
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
  choice.file = unused_name(choice.folder, suggested_file(choice, *trace, view, ui.state.title));
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
  view.arcs_heads = heads;
  if (std::ssize(heads) == num_heads) view.arcs_heads.reset();
}

void draw_heads_show(Ui& ui, Rect& controls) {
  const Rect place = take_right(controls, ui.px(156), ui.px(6));
  int selected = static_cast<int>(ui.session.view.heads_show);
  const ControlState control{true, false,
                             "grid: a map a head. arcs: lines from queries to keys. neurons: one query's features "
                             "against those of every key."};
  if (segments(ui, "heads/show", place, {"grid", "arcs", "neurons"}, selected, control)) {
    ui.session.view.heads_show = static_cast<HeadsShow>(selected);
    // The panels beside it show the same numbers.
    if (selected != 0) select_stage(ui.session.view, StageId::weights);
  }
}

float draw_arcs_controls(Ui& ui, PanelData& data, const Rect& area) {
  ViewState& view = ui.session.view;
  const std::int64_t heads = data.trace().num_heads();
  const std::vector<std::int64_t> shown = arcs_heads(view, heads);
  const float height = ui.px(size::control_height), pitch = ui.px(size::row_height);
  const float slider_width = ui.px(64) + ui.px(8) + ui.px(78);
  const float label = std::ceil(text_width(ui, Type::words12, "heads")) + ui.px(10);
  float y = area.min.y + ui.px(2), x = area.min.x + label;
  text_in(ui, {{area.min.x, y}, {x, y + height}}, Type::words12, ui.colors.text2, "heads");
  const float chip = ui.px(heads > 10 ? 48 : 44), gap = ui.px(6);
  // The first line leaves room for the slider when all heads fit beside it.
  const bool one_line = label + static_cast<float>(heads) * (chip + gap) + slider_width + ui.px(10) <= area.width();
  for (std::int64_t head = 0; head < heads; ++head) {
    if (x + chip > area.max.x && x > area.min.x + label) {
      x = area.min.x + label;
      y += pitch;
    }
    const bool on = std::binary_search(shown.begin(), shown.end(), head);
    const Rect place{{x, y}, {x + chip, y + height}};
    if (head_chip(ui, place, head, on, static_cast<std::size_t>(head))) toggle_arcs_head(view, heads, head);
    x += chip + gap;
  }
  const bool beside = one_line || x + slider_width <= area.max.x;
  if (!beside) y += pitch;
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
    for (std::int64_t k = 0; k < std::min<std::int64_t>(heads, 9); ++k) {
      const auto key = static_cast<KeyName>(static_cast<int>(KeyName::one) + static_cast<int>(k));
      if (ui.take_key(key)) toggle_arcs_head(ui.session.view, heads, k);
    }
  }
  if (ui.take_key(KeyName::s)) save_svg(ui, data);
}

}  // namespace headscope::ui
