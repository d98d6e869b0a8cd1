// What may follow the text, and what was appended to it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/export/export_job.h"
#include "app/session/session.h"
#include "app/ui/generate/generate_panel.h"
#include "app/ui/map/axis_labels.h"
#include "app/ui/phrase/phrase_tokens.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/generate/generation.h"
#include "core/heads/look_sentence.h"
#include "core/model/checkpoint.h"
#include "core/model/inputs.h"

namespace headscope::ui {
namespace {

constexpr float kListRow = 26, kTitle = 28, kName = 130, kNumber = 72;

std::string percent(double share) {
  return fmt::format("{:.1f}%", share * 100);
}

struct Columns {
  Rect name, bar, probability, chance;
};

Columns columns_of(const Ui& ui, Rect line) {
  Columns columns;
  columns.name = take_left(line, ui.px(kName), ui.px(6));
  columns.chance = take_right(line, ui.px(kNumber), ui.px(6));
  columns.probability = take_right(line, ui.px(kNumber), ui.px(6));
  columns.bar = line;
  return columns;
}

void draw_titles(Ui& ui, const Rect& line, const char* first) {
  const Columns columns = columns_of(ui, line);
  text_in(ui, columns.name, Type::words11, ui.colors.text2, first);
  text_in(ui, columns.probability, Type::words11, ui.colors.text2, "probability", 1);
  text_in(ui, columns.chance, Type::words11, ui.colors.text2, "drawn with", 1);
}

}  // namespace

void draw_candidates(Ui& ui, const Trace& trace, const NextTokens::Result& next, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  const Rect inner{{area.min.x + pad, area.min.y}, {area.max.x - pad, area.max.y}};
  const SampledToken& sampled = next.answer->sampled;
  const bool current = next.question.trace.get() == &trace && !ui.session.stale();
  float y = inner.min.y;
  const std::vector<std::string>& tokens = next.question.trace->inputs->tokens;
  const std::string after = tokens.empty() ? "" : visible_piece(tokens.back());
  if (!sampled.top.empty()) {
    say_finding(ui, MainView::generate,
                fmt::format("After {} the model goes on with {}, {:.0f} %.",
                            tokens.empty() ? "nothing" : without_blanks(tokens.back()),
                            without_blanks(next.answer->top.front()), 100 * sampled.top.front().probability));
  }
  text_in(ui, row(inner, y, ui.px(kTitle)), Type::title12, ui.colors.text,
          fmt::format("After {} {}", static_cast<std::int64_t>(tokens.size()) - 1, after));
  draw_titles(ui, row(inner, y, ui.px(18)), "token");
  for (std::size_t k = 0; k < sampled.top.size(); ++k) {
    const TokenChance& token = sampled.top[k];
    const Rect line = row(inner, y, ui.px(kListRow));
    if (line.max.y > inner.max.y) break;
    const bool drawn = token.id == sampled.token.id;
    const Interaction it = interact(ui, fmt::format("generate/candidate/{}", k), line,
                                    {current, false, "Appends this token instead of the one that is drawn."});
    if (drawn || it.hovered) fill(line, drawn ? ui.colors.tint : ui.colors.hover, ui.px(size::radius_control));
    const Columns columns = columns_of(ui, inset(line, ui.px(2)));
    text_in(ui, columns.name, drawn ? Type::mono_bold12 : Type::mono12,
            token.chance > 0 ? ui.colors.text : ui.colors.text3,
            shortened_to(ui, Type::mono12, visible_piece(next.answer->top[k]), columns.name.width()));
    const float middle = std::round(columns.bar.center().y);
    const float width = std::max(1.0f, std::round(columns.bar.width() * static_cast<float>(token.probability)));
    fill({{columns.bar.min.x, middle - ui.px(4)}, {columns.bar.min.x + width, middle + ui.px(3)}}, ui.colors.text2);
    text_in(ui, columns.probability, Type::mono12, ui.colors.text, percent(token.probability), 1);
    text_in(ui, columns.chance, Type::mono12, token.chance > 0 ? ui.colors.text : ui.colors.text3,
            ours(token.chance > 0 ? percent(token.chance) : "not drawn"), 1);
    if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, line, ui.px(size::radius_control));
    if (it.clicked && current) {
      ui.state.panels.get<GeneratePanelState>().waiting = 0;
      append_token(ui, trace, {token.id, next.answer->top[k], token.probability, token.chance, sampled.kept, !drawn});
    }
  }
}

void draw_appended(Ui& ui, const Trace& trace, const Rect& area) {
  const float pad = ui.px(size::panel_padding);
  const Rect inner{{area.min.x + pad, area.min.y}, {area.max.x - pad, area.max.y}};
  const GeneratePanelState& state = ui.state.panels.get<GeneratePanelState>();
  float y = inner.min.y;
  const Rect title = row(inner, y, ui.px(kTitle));
  text_in(ui, title, Type::title12, ui.colors.text, fmt::format("Appended: {}", state.behind));
  const std::int64_t bytes = cache_bytes(trace.model->checkpoint->architecture(), trace.query_len());
  text_in(ui, title, Type::words12, ui.colors.text2,
          fmt::format("keys and values of {} positions: {}", trace.query_len(), bytes_text(bytes)), 1);
  draw_titles(ui, row(inner, y, ui.px(18)), "token");
  const Rect list{{inner.min.x, y}, inner.max};
  if (state.appended.empty()) {
    paragraph(
        ui, {{list.min.x, y + ui.px(6)}, {list.max.x, y}}, Type::words12, ui.colors.text3,
        "Each token is a row of every head from then on, and one step of undo. Masks and interventions count: hide "
        "the first token, or all but the last few keys, and see what the model says then.");
    return;
  }
  const float content = ui.px(kListRow) * static_cast<float>(state.appended.size());
  const ScrollArea scroll = begin_scroll(ui, "generate/appended", list, content);
  y -= scroll.offset;
  for (std::size_t k = 0; k < state.appended.size(); ++k) {
    const AppendedToken& token = state.appended[k];
    const Rect line = row(list, y, ui.px(kListRow));
    if (line.max.y < list.min.y || line.min.y > list.max.y) continue;
    ui.mark(fmt::format("generate/appended/{}", k), line);
    const bool ahead = k >= state.behind;
    const Rgba ink = ahead ? ui.colors.text3 : ui.colors.text;
    const Columns columns = columns_of(ui, inset(line, ui.px(2)));
    text_in(ui, columns.name, Type::mono12, ink,
            shortened_to(ui, Type::mono12, visible_piece(token.piece), columns.name.width()));
    const std::string how = token.by_hand ? "by hand" : fmt::format("one of {}", token.kept);
    text_in(ui, columns.bar, Type::words11, ui.colors.text3, ahead ? "taken back" : how);
    text_in(ui, columns.probability, Type::mono12, ink, percent(token.probability), 1);
    text_in(ui, columns.chance, Type::mono12, ink, token.by_hand ? "" : percent(token.chance), 1);
  }
  end_scroll(ui);
}

}  // namespace headscope::ui
