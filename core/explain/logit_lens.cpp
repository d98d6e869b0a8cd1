#include "core/explain/logit_lens.h"

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

#include "core/attention/model_stages.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/explain/head_output.h"
#include "core/model/checkpoint.h"
#include "core/model/stack.h"

namespace headscope {
namespace {

// What the vectors of a lens are made of.
struct Source {
  const std::string& option;
  const Trace& trace;
  std::int64_t batch = 0;
};

// Gets the vectors of one row after the other, [1, len, d_model].
using See = std::function<void(const Tensor& vectors)>;

void see_layers(const Source& of, const CancelToken& cancel, const See& see) {
  const LayerStreams streams = layer_streams(of.option, *of.trace.model, cancel);
  for (const Tensor& stream : streams.each) see(stream.sliced(0, of.batch, of.batch + 1));
}

void see_attention(const Source& of, const CancelToken& cancel, const See& see) {
  const ModelTrace& model = *of.trace.model;
  check_layers_kept(of.option, model);
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    cancel.check();
    const Tensor stream = model.streams[l].sliced(0, of.batch, of.batch + 1);
    const Tensor attention = attention_added(*model.layers[l]).sliced(0, of.batch, of.batch + 1);
    see(attended_rows(model.checkpoint->architecture(), model.checkpoint->block(static_cast<std::int64_t>(l)),
                      {stream, attention}, {0, stream.dim(1)}));
  }
}

void see_heads(const Source& of, const CancelToken& cancel, const See& see) {
  const Tensor& stream = of.trace.model->streams[static_cast<std::size_t>(of.trace.inputs->layer)];
  for (std::int64_t h = 0; h < of.trace.num_heads(); ++h) see(head_output(of.trace, stream, of.batch, h, cancel));
}

std::vector<LensRow> rows_of_layers(const Trace& trace, std::int64_t first) {
  std::vector<LensRow> rows;
  const auto layers = static_cast<std::int64_t>(trace.model->layers.size());
  for (std::int64_t l = first; l < layers; ++l) rows.push_back({l, {}, {}});
  return rows;
}

std::vector<LensRow> rows_of_heads(const Trace& trace) {
  std::vector<LensRow> rows;
  for (std::int64_t h = 0; h < trace.num_heads(); ++h) rows.push_back({trace.inputs->layer, h, {}});
  return rows;
}

struct Kind {
  LensKind words;
  bool whole_stream;  // whether rows are of the stream itself, with the size that it has
  std::vector<LensRow> (*rows)(const Trace& trace);
  void (*see)(const Source& of, const CancelToken& cancel, const See& see);
};

// In the order of LensOf.
constexpr Kind kKinds[] = {
    {{LensOf::layers, "Logit lens", "after", [](std::int64_t) { return std::string("would say after every layer"); },
      [](std::int64_t) { return std::string("the stream before and after every layer"); },
      [](const LensRow& row) { return row.layer < 0 ? "embeddings" : fmt::format("layer {}", row.layer); },
      [](const LensRow& row) {
        return row.layer < 0 ? "Of the embeddings" : fmt::format("After layer {}", row.layer);
      }},
     true,
     [](const Trace& trace) { return rows_of_layers(trace, -1); },
     see_layers},
    {{LensOf::attention, "Logit lens after attention", "after",
      [](std::int64_t) { return std::string("would say after the attention of every layer"); },
      [](std::int64_t) {
        return std::string(
            "the stream after the attention of every layer, without the layer's MLP (in parallel blocks "
            "too, where it runs beside attention)");
      },
      [](const LensRow& row) { return fmt::format("attention {}", row.layer); },
      [](const LensRow& row) { return fmt::format("After the attention of layer {}", row.layer); }},
     true,
     [](const Trace& trace) { return rows_of_layers(trace, 0); },
     see_attention},
    {{LensOf::heads, "Attention lens", "of",
      [](std::int64_t layer) { return fmt::format("would say of what each head of layer {} wrote alone", layer); },
      [](std::int64_t layer) { return fmt::format("what each head of layer {} wrote into the stream, alone", layer); },
      [](const LensRow& row) { return fmt::format("head {}", *row.head); },
      [](const LensRow& row) { return fmt::format("Head {} of layer {} alone", *row.head, row.layer); }},
     false,
     rows_of_heads,
     see_heads},
};

const Kind& kind_of(LensOf of) {
  const Kind& kind = kKinds[static_cast<std::size_t>(of)];
  HEADSCOPE_ASSERT(kind.words.of == of, kind.words.title);
  return kind;
}

// What the decoder reads when the model ends here: [1, len, d_model].
Tensor hidden_of(const ModelTrace& model, const Tensor& stream) {
  const NormWeights norm = model.checkpoint->output_head().final_norm;
  if (norm.empty()) return stream;
  Tensor hidden = Tensor::zeros(stream.shape(), stream.axes());
  norm_rows(model.checkpoint->architecture(), norm, stream, 0, hidden);
  return hidden;
}

}  // namespace

const LensKind& lens_kind(LensOf of) {
  return kind_of(of).words;
}

std::vector<LensRow> lens_rows(const std::string& option, const Trace& trace, LensOf of) {
  check_model_stage(option, trace, ModelStageId::logits);
  if (of != LensOf::layers) check_one_stack("lens-of", *trace.model);
  return kind_of(of).rows(trace);
}

std::string lens_legend(const Trace& trace, LensOf of) {
  const OutputHead head = trace.model->checkpoint->output_head();
  std::string legend = lens_kind(of).rows(trace.inputs->layer);
  legend += head.kind == OutputHead::Kind::next_token ? ", put through the final norm and the decoder"
                                                      : ", put through the model's head";
  if (kind_of(of).whole_stream) return legend + ".";
  const bool normed = !head.final_norm.empty() || !head.transform_norm.empty();
  return legend + (normed ? ". The norm is of the head's vector alone, which scales a small vector up: it says what a "
                            "head's output points at, not how much it counts."
                          : ". No norm scales these vectors: a small one says next to nothing.");
}

LogitLens logit_lens(const std::string& option, const Trace& trace, const LensQuestion& question,
                     const CancelToken& cancel) {
  LogitLens lens;
  lens.of = question.of;
  lens.rows = lens_rows(option, trace, question.of);
  const ModelTrace& model = *trace.model;
  const std::int64_t items = model.final_hidden.dim(0);
  if (question.batch < 0 || question.batch >= items) {
    throw UsageError("batch", fmt::format("{} asked for, the batches are 0 to {}", question.batch, items - 1));
  }
  std::vector<std::int64_t> positions(static_cast<std::size_t>(trace.query_len()));
  std::iota(positions.begin(), positions.end(), 0);
  lens.next_token = model.checkpoint->output_head().kind == OutputHead::Kind::next_token;
  ModelTrace ended = model;
  std::size_t row = 0;
  const See see = [&](const Tensor& vectors) {
    cancel.check();
    ended.final_hidden = hidden_of(model, vectors);
    lens.rows[row++].positions = predictions(ended, 0, positions, question.top_n, *model.backend, cancel);
  };
  kind_of(question.of).see({option, trace, question.batch}, cancel, see);
  HEADSCOPE_ASSERT(row == lens.rows.size(), std::to_string(row) + " rows");
  lens.model = question.of == LensOf::layers
                   ? lens.rows.back().positions
                   : predictions(model, question.batch, positions, question.top_n, *model.backend, cancel);
  return lens;
}

}  // namespace headscope
