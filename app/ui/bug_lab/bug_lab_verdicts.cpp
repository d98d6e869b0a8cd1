// 'What it does here': the facts about the picked mistakes on this request, alarming ones first.
#include <algorithm>
#include <cmath>
#include <vector>

#include "app/ui/bug_lab/bug_lab.h"
#include "app/ui/view_head.h"
#include "app/ui/widgets/widgets.h"
#include "core/base/minus_sign.h"
#include "core/compare/variant_text.h"

namespace headscope::ui {

void draw_lab_verdicts(Ui& ui, const LabShown& shown, const Rect& area) {
  ui.mark("bug_lab/verdicts", area);
  const Rect header{area.min, {area.max.x, area.min.y + ui.px(36)}};
  text_in(ui, {{header.min.x + ui.px(size::panel_padding), header.min.y}, header.max}, Type::title13, ui.colors.text,
          "What it does here");
  const VariantResult& result = shown.result;
  const Rect body{{area.min.x, header.max.y}, area.max};
  float& content = ui.state.panels.get<BugLabState>().verdicts_height;
  const ScrollArea scroll = begin_scroll(ui, "bug_lab/verdicts", body, content);
  const float top = body.min.y - scroll.offset;
  float y = top;
  const std::vector<Verdict> verdicts = variant_verdicts(*result.right, *result.wrong, *result.effect, shown.stage);
  if (!verdicts.empty()) say_finding(ui, MainView::bug_lab, with_minus_signs(verdicts.front().text));
  for (const Verdict& verdict : verdicts) {
    const Rect line{{body.min.x + ui.px(44), y}, {body.max.x - ui.px(20), y}};
    const float height = paragraph(ui, line, Type::words13, verdict.bad ? ui.colors.text : ui.colors.text2,
                                   with_minus_signs(verdict.text));
    draw_icon(ui, verdict.bad ? Icon::warning : Icon::check, {body.min.x + ui.px(24), std::round(y + ui.px(8))},
              ui.px(13), verdict.bad ? ui.colors.bad : ui.colors.ok);
    ui.mark("bug_lab/verdict/" + verdict.text, {line.min, {line.max.x, y + height}});
    y += std::max(height, ui.px(16)) + ui.px(7);
  }
  end_scroll(ui);
  if (content != y - top) ui.state.wants_frame = true;
  content = y - top;
}

}  // namespace headscope::ui
