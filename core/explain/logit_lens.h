// The logit lens: what a model would say if its layers ended after each of them, after the attention of each, or if
// there was nothing but one head.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/attention/output_head.h"
#include "core/attention/trace.h"
#include "core/base/cancel.h"
#include "core/explain/lens_of.h"

namespace headscope {

// A row of the lens: the most probable tokens at every position.
struct LensRow {
  std::int64_t layer = -1;            // -1: before layer 0, of the embeddings alone
  std::optional<std::int64_t> head;   // of LensOf::heads
  std::vector<Prediction> positions;  // [len]
};

struct LogitLens {
  LensOf of = LensOf::layers;
  bool next_token = false;        // else a masked head
  std::vector<LensRow> rows;      // layers: [layers + 1]; attention: [layers]; heads: [num_heads]
  std::vector<Prediction> model;  // [len], what the model itself says
};

// How a kind of lens is called.
struct LensKind {
  LensOf of;
  const char* title;                            // "Logit lens"
  const char* row_word;                         // what the names of rows follow: "after", "of"
  std::string (*says)(std::int64_t layer);      // behind a model's name: "would say after every layer"
  std::string (*rows)(std::int64_t layer);      // what they are: "the stream before and after every layer"
  std::string (*row_name)(const LensRow& row);  // "embeddings", "layer 0", "attention 0", "head 0"
  std::string (*place)(const LensRow& row);     // "Of the embeddings", "After layer 0", "Head 0 of layer 1 alone"
};
const LensKind& lens_kind(LensOf of);

struct LensQuestion {
  LensOf of = LensOf::layers;
  std::int64_t batch = 0, top_n = 1;
};

// For every row r and position i of a batch item
//   probabilities = softmax(logits of final_norm(v[r, i])), logits as core/attention/output_head.h has them
// and of these the `top_n` largest (nostalgebraist 2020, "interpreting GPT: the logit lens"). v is
//   layers:    stream[l] of core/attention/model_stages.h; the last row is what the model says, bit for bit as
//              predictions()
//   attention: stream[l] + attention_out[l] (normalised with NormPlace::after_sum), which the MLP of the layer reads
//              and adds to; in a parallel layer too, whose MLP reads stream[l] instead and is left out all the same
//   heads:     what each head of the trace's layer wrote alone: head_output()
// The final norm is that of v by itself. Of heads: a small vector is scaled up as much as a large one, so that a row
// says what a head's output points at, not how much it counts (attribution() says that); biases of attention belong to
// no head and are left out, while those of the final norm and the decoder count, so that a head of zeros says what
// these alone do. UsageError, which names `option`: a result that is no whole model's, a model without output head, a
// batch item that is not there, layers that were not kept or whose streams are too large; which names "lens-of":
// another kind than layers of a decoder beside an encoder. Asserts that the model was computed whole. Throws Cancelled.
LogitLens logit_lens(const std::string& option, const Trace& trace, const LensQuestion& question,
                     const CancelToken& cancel);

// The rows that it has, without positions: without computing. Throws the UsageError of a trace whose lens cannot be
// made.
std::vector<LensRow> lens_rows(const std::string& option, const Trace& trace, LensOf of);

// What the rows are, how they are looked at, and what that means: sentences for a legend, the first of which goes on
// behind "rows: ". Of a trace that has a lens.
std::string lens_legend(const Trace& trace, LensOf of);

}  // namespace headscope
