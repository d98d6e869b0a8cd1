#include "app/ui/dialogs/exported.h"

#include <fmt/format.h>

#include "app/session/corpus_heads.h"
#include "app/session/session.h"
#include "app/ui/corpus/corpus_panel.h"
#include "app/ui/gradients/gradients_panel.h"
#include "app/ui/main_view.h"
#include "app/ui/stage_facts.h"
#include "app/ui/sweep/sweep_panel.h"
#include "core/request/stage_info.h"

namespace headscope::ui {

std::optional<ResultPair> shown_pair(Ui& ui) {
  const MainViewInfo& shown = main_view_info(shown_main_view(ui));
  return shown.pair == nullptr ? std::nullopt : shown.pair(ui);
}

namespace {

// The sweep on screen once it is whole, with the metric that it took.
void take_sweep(Ui& ui, Exported& result) {
  const std::shared_ptr<const Sweeps::Result> known = ui.state.panels.get<SweepPanelState>().last;
  if (known == nullptr || !known->whole || !known->answer || known->question.estimate == SweepEstimate::alone) return;
  result.sweep = {known, &known->answer->sweep};
  result.against = known->question.a;
  result.trace = known->question.b;
  const SweepMetric& metric = result.sweep->metric;
  SweepView& view = result.view.sweep;
  if (view.measure != SweepMeasure::usual) return;
  view.measure = metric.kind == SweepMetric::Kind::kl ? SweepMeasure::kl : SweepMeasure::logit;
  view.tokens = fmt::format("{}", fmt::join(metric.ids, "-"));
}

// The heads of the corpus that is open, as the view shows them.
void take_corpus(Ui& ui, Exported& result) {
  const std::shared_ptr<const Corpora::Result> known = ui.state.panels.get<CorpusPanelState>().last;
  if (known == nullptr || !known->answer) return;
  // Made once: its tree takes longer than a frame.
  struct Known {
    std::shared_ptr<const Corpora::Result> of;
    CorpusView view;
    std::shared_ptr<const CorpusFigure> figure;
  };
  Known& made = ui.state.panels.get<Known>();
  if (made.of != known || !(made.view == result.view.corpus)) {
    made = {known, result.view.corpus,
            std::make_shared<const CorpusFigure>(corpus_figure(*known->answer, result.view.corpus))};
  }
  result.corpus = made.figure;
}

// The gradients on screen where they are what is asked, with the metric that they took.
void take_gradients(Ui& ui, Exported& result) {
  const std::shared_ptr<const Gradients::Result> known = ui.state.panels.get<GradientsPanelState>().last;
  GradientsView& view = result.view.gradients;
  const std::optional<std::string> metric = metric_text(view.measure, view.tokens);
  if (known == nullptr || !known->answer || !metric) return;
  if (known->question != GradientsQuery{result.trace, *metric, view.path ? view.steps : 0}) return;
  result.gradients = {known, &*known->answer};
  if (view.measure != SweepMeasure::usual) return;
  view.measure = SweepMeasure::logit;
  view.tokens = fmt::format("{}", fmt::join(known->answer->metric.ids, "-"));
}

}  // namespace

Exported exported(Ui& ui, ExportSubject subject) {
  const ViewState& view = ui.session.view;
  Exported result{ui.session.trace(), nullptr, view, nullptr};
  if (subject == ExportSubject::sweep) take_sweep(ui, result);
  if (subject == ExportSubject::corpus) take_corpus(ui, result);
  if (subject == ExportSubject::gradients) take_gradients(ui, result);
  const bool of_two =
      subject == ExportSubject::first || subject == ExportSubject::second || subject == ExportSubject::difference;
  const std::optional<ResultPair> pair = of_two ? shown_pair(ui) : std::nullopt;
  if (pair) {
    result.trace = subject == ExportSubject::first ? pair->first : pair->second;
    if (subject == ExportSubject::difference) {
      result.trace = pair->second_less_first ? pair->first : pair->second;
      result.against = pair->second_less_first ? pair->second : pair->first;
    }
    if (pair->stage) result.view.stage = *pair->stage;
  }
  // The slice that is shown, where a request with fewer heads followed one with more.
  const Selection selection = selection_of(result.view, *result.trace);
  result.view.batch = selection.batch;
  result.view.head = selection.head;
  if (of_two || subject == ExportSubject::sensitivity) {
    // A stage that only the other result has stays what is asked for.
    const bool elsewhere = pair && (pair->first->find(result.view.stage) || pair->second->find(result.view.stage));
    if (!elsewhere) result.view.stage = selection.stage;
    result.view.stage = shown_by_heads(result.view.stage);
  }
  return result;
}

}  // namespace headscope::ui
