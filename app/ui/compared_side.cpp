#include "app/ui/compared_side.h"

#include <fmt/format.h>

#include "app/session/session.h"
#include "app/ui/request/head_changes.h"
#include "app/ui/stage_facts.h"
#include "core/attention/model_trace.h"
#include "core/request/intervention_kinds.h"

namespace headscope::ui {
namespace {

constexpr double kLongestRun = 2;  // seconds: a longer one is not begun unasked

}  // namespace

std::string without_words(const Trace& b, const LayerHead& head) {
  const bool layers = b.model != nullptr && b.model->layers.size() > 1;
  return layers ? fmt::format("without layer {}, head {}", head.layer, head.head)
                : fmt::format("without head {}", head.head);
}

ComparedSide compared_side(Ui& ui) {
  if (ui.session.pinned() != nullptr) return {ui.session.pinned(), std::nullopt};
  const auto trace = ui.session.trace();
  if (trace == nullptr || trace->num_heads() == 0 || trace->seconds > kLongestRun) return {};
  if (trace->find(StageId::context) == nullptr || why_heads_stay(ui) != nullptr) return {};
  const LayerHead head{shown_layer(ui), selection_of(ui.session.view, *trace).head};
  if (is_ablated(trace->request, head)) return {};
  ComparedSide side;
  side.without = head;
  side.waits = fmt::format("The run {} is being computed.", without_words(*trace, head));
  if (trace->preview) return side;
  const RunWithoutQuery question{trace, head};
  const auto result = ui.session.background.runs_without.want(question);
  if (result == nullptr) return side;
  side.current = result->question == question;
  if (side.current && !result->answer) return {};  // it cannot run without the head
  if (!result->answer || result->question.head != head) return side;
  side.trace = *result->answer;
  return side;
}

}  // namespace headscope::ui
