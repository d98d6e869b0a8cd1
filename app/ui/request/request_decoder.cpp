// Request, Keys and values of a model with several lists of layers: which of its attentions is shown.
#include "app/session/session.h"
#include "app/ui/request/request_panel.h"
#include "core/attention/trace.h"
#include "core/base/grouped_digits.h"
#include "core/model/checkpoint.h"
#include "core/request/model_text.h"

namespace headscope::ui {

bool has_decoder(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr || trace->inputs->checkpoint == nullptr ||
      !same_base(trace->request.model, ui.session.draft.model)) {
    return false;
  }
  const Checkpoint& checkpoint = *trace->inputs->checkpoint;
  return checkpoint.architecture().of_decoder() || checkpoint.part(Architecture::Part::decoder) != nullptr;
}

bool has_pool(const Ui& ui) {
  const auto trace = ui.session.trace();
  if (trace == nullptr || trace->inputs->checkpoint == nullptr ||
      !same_base(trace->request.model, ui.session.draft.model)) {
    return false;
  }
  const Checkpoint& checkpoint = *trace->inputs->checkpoint;
  return checkpoint.architecture().part == Architecture::Part::pool ||
         checkpoint.part(Architecture::Part::pool) != nullptr;
}

namespace {

void draw_pool_lists(RequestRows& rows) {
  Request& draft = rows.ui.session.draft;
  int selected = shows_pool(draft) ? 1 : 0;
  if (segments(rows.ui, "request/attention", rows.full(), {"encoder", "pool"}, selected,
               rows.state("attention",
                          "Whose layers are shown: those of the patches, or the one that gathers them, whose query is "
                          "learned and whose keys and values are what the others give."))) {
    draft.attention = selected == 1 ? AttentionList::pool : AttentionList::automatic;
    draft.layer.reset();
  }
  rows.problem("attention");
}

}  // namespace

void draw_attention_lists(RequestRows& rows) {
  if (has_pool(rows.ui)) return draw_pool_lists(rows);
  Ui& ui = rows.ui;
  Request& draft = ui.session.draft;
  constexpr AttentionList kLists[] = {AttentionList::encoder, AttentionList::decoder, AttentionList::cross};
  const AttentionList now = attention_list(draft);
  int selected = now == AttentionList::encoder ? 0 : now == AttentionList::decoder ? 1 : 2;
  if (segments(
          ui, "request/attention", rows.full(), {"encoder", "decoder", "cross"}, selected,
          rows.state("attention",
                     "Whose layers are shown: the encoder's, the decoder's self-attention, or its cross-attention, "
                     "whose keys and values are what the encoder gives. The decoder needs a text (Ctrl+K)."))) {
    draft.attention = kLists[selected];
    draft.layer.reset();  // the lists need not be of one length
  }
  rows.problem("attention");
  if (!draft.decoder_ids.empty()) {
    rows.locked("decoder", grouped_digits(std::ssize(draft.decoder_ids)) + " token ids",
                "The ids that the decoder reads were given in place of a text.");
    rows.problem("decoder-ids");
  }
}

}  // namespace headscope::ui
