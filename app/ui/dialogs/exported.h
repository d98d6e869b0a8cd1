// What an export is of: the result on screen, or of a view that holds two results one of them.
#pragma once

#include <memory>
#include <optional>

#include "app/session/export/export_job.h"
#include "app/ui/result_pair.h"
#include "app/ui/ui.h"
#include "core/picture/figure/corpus_figure.h"

namespace headscope::ui {

// Nothing where the view that is shown holds one result, or where one of the two cannot be computed.
std::optional<ResultPair> shown_pair(Ui& ui);

struct Exported {
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const Trace> against;  // of a difference, what it is subtracted from; of a sweep A; else null
  ViewState view;                        // with the stage that is shown
  std::shared_ptr<const Sweep> sweep;    // of a sweep whose runs are all known; else null
  std::shared_ptr<const CorpusFigure> corpus = nullptr;        // of the corpus that is open; else null
  std::shared_ptr<const WeightGradients> gradients = nullptr;  // of gradients, once they are known; else null
  ExportSource source() const {
    FigureSource of{*trace, against.get(), sweep.get()};
    of.corpus = corpus.get();
    return {of, gradients.get()};
  }
};
// Of what is on screen; there is a trace.
Exported exported(Ui& ui, ExportSubject subject);

}  // namespace headscope::ui
