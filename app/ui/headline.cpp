#include "app/ui/headline.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "app/session/session.h"
#include "app/ui/panel_data.h"
#include "app/ui/stage_facts.h"
#include "app/ui/view_head.h"
#include "core/attention/model_trace.h"
#include "core/heads/look_sentence.h"
#include "core/model/checkpoint.h"

namespace headscope::ui {
namespace {

// The picked cell, else the largest weight of the head; nothing where there is none.
std::optional<Cell> looked_at(PanelData& data, const Selection& selection) {
  if (selection.cell && is_score_like(selection.stage) && selection.cell->row >= 0 && selection.cell->column >= 0) {
    return selection.cell;
  }
  const HeadSummary* summary = data.summary(selection.batch, selection.head);
  if (summary == nullptr || summary->query < 0 || summary->key < 0) return std::nullopt;
  return Cell{summary->query, summary->key};
}

// "The model goes on with book, 87 %."; "" where no model says a word, or it is not known yet.
std::string goes_on(Ui& ui, const std::shared_ptr<const Trace>& trace) {
  const bool says = trace->model != nullptr && trace->model->checkpoint != nullptr &&
                    trace->model->checkpoint->output_head().kind == OutputHead::Kind::next_token &&
                    !trace->model->checkpoint->architecture().of_decoder();
  if (!says || trace->preview || trace->model->final_hidden.empty()) return "";
  const NextTokenQuery query{trace, Sampling(), 0};
  const auto result = ui.session.background.next_tokens.want(query);
  if (result == nullptr || !(result->question == query) || !result->answer || result->answer->top.empty()) return "";
  return fmt::format(" The model goes on with {}, {:.0f} %.", without_blanks(result->answer->top.front()),
                     100 * result->answer->sampled.top.front().probability);
}

}  // namespace

void say_headline(Ui& ui) {
  PanelData* data = panel_data(ui);
  if (data == nullptr) return say_finding(ui, MainView::layer, "");
  const std::shared_ptr<const Trace>& trace = data->shared_trace();
  const Selection selection = selection_of(ui.session.view, *trace);
  const std::optional<Cell> cell = looked_at(*data, selection);
  std::string words;
  if (cell) words = look_sentence(*trace, selection.batch, selection.head, cell->row, cell->column);
  if (words.empty()) return say_finding(ui, MainView::layer, "");
  const std::string heading = trace->model != nullptr
                                  ? fmt::format("Layer {}, head {}:", trace->inputs->layer, selection.head)
                                  : fmt::format("Head {}:", selection.head);
  words += goes_on(ui, trace);
  const bool projects = trace->find(StageId::qkv) != nullptr || trace->find(StageId::query_proj) != nullptr;
  const bool random = projects && trace->inputs->checkpoint == nullptr && trace->request.weights.empty() &&
                      trace->request.model == "seeded";
  if (random) words += " The weights are random: this shows how it is computed, not what a model learned.";
  say_finding(ui, MainView::layer, words, heading);
}

}  // namespace headscope::ui
