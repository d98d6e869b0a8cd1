#include "core/attention/model_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "core/attention/changed_mlp.h"
#include "core/attention/output_head.h"
#include "core/attention/put_numbers.h"
#include "core/base/assert.h"
#include "core/base/error.h"
#include "core/model/checkpoint.h"
#include "core/model/row_convolution.h"
#include "core/model/row_norm.h"
#include "core/model/stack.h"

namespace headscope {
namespace {

using Place = Architecture::NormPlace;

constexpr std::int64_t kRowsAtOnce = 256;  // of an MLP, as finish_layer() has it
constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;
const Axes kAxes{Axis::batch, Axis::position, Axis::feature};
const Axes kLayerAxes{Axis::feature, Axis::batch, Axis::position, Axis::feature};  // Axis has no name for layers

const Architecture& architecture_of(const ModelTrace& model) {
  return model.checkpoint->architecture();
}

// [layers, batch, len, d_model]
Shape layers_shape(const ModelTrace& model) {
  const Shape& row = attention_added(*model.layers.front()).shape();
  return {static_cast<std::int64_t>(model.layers.size()), row[0], row[1], row[2]};
}

void check_bytes(const std::string& option, const Shape& layers, std::int64_t limit) {
  const double row = 4.0 * static_cast<double>(layers[1]) * static_cast<double>(layers[3]);  // of one token
  const double token = row * static_cast<double>(layers[0] + 1);
  const double bytes = token * static_cast<double>(layers[2]);
  if (bytes <= static_cast<double>(limit)) return;
  throw UsageError(option, fmt::format("the stream of all layers would need {:.1f} GiB", bytes / kGibi),
                   fmt::format("at most {:.1f} GiB, which {} tokens fit", static_cast<double>(limit) / kGibi,
                               static_cast<std::int64_t>(static_cast<double>(limit) / token)));
}

// Of attention's results, read from the layers' traces.
Tensor attention_tensor(const ModelTrace& model) {
  return Tensor::computed(layers_shape(model), kLayerAxes, [model](const Region& region, std::span<float> out) {
    const Region of_layer{region[1], region[2], region[3]};
    const auto size = static_cast<std::size_t>(element_count(of_layer));
    for (std::int64_t layer = region[0].begin; layer < region[0].end; ++layer) {
      const auto at = static_cast<std::size_t>(layer - region[0].begin) * size;
      attention_added(*model.layers[static_cast<std::size_t>(layer)]).read(of_layer, out.subspan(at, size));
    }
  });
}

// Rows of one item of the batch in a layer.
struct LayerRows {
  std::int64_t layer = 0, batch = 0;
  Range rows;
};

// What the MLP reads there, or what it adds: [1, rows, d_model].
Tensor mlp_rows(const ModelTrace& model, const LayerStreams& streams, bool input, const LayerRows& at,
                const CancelToken& cancel) {
  const Architecture& architecture = architecture_of(model);
  const BlockWeights weights = model.checkpoint->block(at.layer);
  const auto layer = static_cast<std::size_t>(at.layer);
  const Tensor& enters = architecture.of_decoder() ? model.streams[layer] : streams.each[layer];
  const Tensor stream = enters.sliced(0, at.batch, at.batch + 1);
  const Tensor attention = attention_added(*model.layers[layer]).sliced(0, at.batch, at.batch + 1);
  const Tensor s = attended_rows(architecture, weights, {stream, attention}, at.rows);
  const Tensor entered = stream.sliced(1, at.rows.begin, at.rows.end);
  if (input) return mlp_input(architecture, weights, {entered, s});
  Tensor added = Tensor::zeros(s.shape(), kAxes);
  mlp_added(architecture, weights, {entered, s}, *model.backend, cancel, added);
  return added;
}

// What the MLP of a layer adds, with what arrays and patches make of it; or what it reads.
Tensor mlp_of_layer(const ModelTrace& model, const LayerStreams& streams, bool input, std::int64_t layer,
                    const CancelToken& cancel) {
  const Shape shape = layers_shape(model);
  const auto read = [model, streams, input, layer, cancel](const Region& region, std::span<float> out) {
    std::size_t done = 0;
    for (std::int64_t b = region[0].begin; b < region[0].end; ++b) {
      for (std::int64_t first = region[1].begin; first < region[1].end; first += kRowsAtOnce) {
        cancel.check();
        const Range rows{first, std::min(first + kRowsAtOnce, region[1].end)};
        const Tensor found = mlp_rows(model, streams, input, {layer, b, rows}, cancel);
        const auto size = static_cast<std::size_t>(rows.size() * region[2].size());
        found.read({{0, 1}, {0, rows.size()}, region[2]}, out.subspan(done, size));
        done += size;
      }
    }
  };
  const Tensor computed = Tensor::computed({shape[1], shape[2], shape[3]}, kAxes, read);
  const Trace& trace = *model.layers[static_cast<std::size_t>(layer)];
  return input ? computed : with_changes(trace.request, *trace.inputs, layer, kMlpPatch, computed);
}

Tensor mlp_tensor(const ModelTrace& model, const LayerStreams& streams, bool input, const CancelToken& cancel) {
  const auto read = [model, streams, input, cancel](const Region& region, std::span<float> out) {
    const auto size = static_cast<std::size_t>(region[1].size() * region[2].size() * region[3].size());
    for (std::int64_t layer = region[0].begin; layer < region[0].end; ++layer, out = out.subspan(size)) {
      mlp_of_layer(model, streams, input, layer, cancel).read({region[1], region[2], region[3]}, out.first(size));
    }
  };
  return Tensor::computed(layers_shape(model), kLayerAxes, read);
}

Tensor convolution_tensor(const ModelTrace& model, const CancelToken& cancel) {
  const Tensor stream = model.streams.front();
  const auto read = [model, stream, cancel](const Region& region, std::span<float> out) {
    const Tensor rows =
        convolved_rows(*architecture_of(model).convolution, model.checkpoint->block(0).convolution,
                       stream.sliced(0, region[0].begin, region[0].end), region[1], *model.backend, cancel);
    rows.read({{0, region[0].size()}, {0, region[1].size()}, region[2]}, out);
  };
  return Tensor::computed(stream.shape(), kAxes, read);
}

Tensor logits_tensor(const ModelTrace& model, const CancelToken& cancel) {
  const std::int64_t vocabulary = model.checkpoint->output_head().decoder.weight.dim(0);
  const Shape shape{model.final_hidden.dim(0), model.final_hidden.dim(1), vocabulary};
  return Tensor::computed(shape, kAxes, [model, cancel](const Region& region, std::span<float> out) {
    std::vector<std::int64_t> positions(static_cast<std::size_t>(region[1].size()));
    std::iota(positions.begin(), positions.end(), region[1].begin);
    float* to = out.data();
    for (std::int64_t b = region[0].begin; b < region[0].end; ++b) {
      for_each_logits(model, b, positions, *model.backend, cancel, [&](std::span<const float> logits) {
        to = std::copy(logits.begin() + region[2].begin, logits.begin() + region[2].end, to);
      });
    }
  });
}

Tensor projected_tensor(const ModelTrace& model, const CancelToken& cancel) {
  const Linear map = model.checkpoint->output_head().projection;
  if (map.empty()) return model.final_hidden;
  const Shape& from = model.final_hidden.shape();
  const auto read = [model, map, cancel](const Region& region, std::span<float> out) {
    const Tensor batch = model.final_hidden.sliced(0, region[0].begin, region[0].end);
    const Tensor rows = batch.sliced(1, region[1].begin, region[1].end).dense_copy();
    const Region part{{0, region[0].size()}, {0, region[1].size()}, region[2]};
    model.backend->linear(rows, map.weight, map.bias, cancel).read(part, out);
  };
  return Tensor::computed({from[0], from[1], map.weight.dim(0)}, kAxes, read);
}

std::string norm_text(const ModelTrace& model, const std::string& of) {
  return fmt::format("{}({})", row_norm_of(architecture_of(model), {}).text(), of);
}

std::string result_norm_text(const ModelTrace& model, const std::string& of) {
  return fmt::format("{}({})", result_norm_of(architecture_of(model), {}).text(), of);
}

std::string stream_text(const ModelTrace& model) {
  const Architecture& architecture = architecture_of(model);
  const bool mlp = architecture.mlp != Architecture::Mlp::none;
  if (architecture.of_decoder()) return "embeddings; what both attentions and the MLP of the layer before leave";
  if (architecture.drops_stream) return "the learned query; attention_out + mlp_out";
  if (architecture.norm_place != Place::after_sum) {
    return std::string("embeddings; stream + attention_out") + (mlp ? " + mlp_out" : "");
  }
  const std::string text = norm_text(model, mlp ? "mlp_in + mlp_out" : "stream + attention_out");
  const std::string beside = architecture.convolution ? ", of layer 0 " + norm_text(model, "that + conv_out") : "";
  return "embeddings; " + text + beside;
}

std::string mlp_in_text(const ModelTrace& model) {
  const Architecture& architecture = architecture_of(model);
  if (architecture.parallel) return norm_text(model, "stream");
  if (architecture.of_decoder()) return norm_text(model, "what self-attention leaves + attention_out");
  if (architecture.drops_stream) return norm_text(model, "attention_out");
  return architecture.norm_place == Place::after ? "stream + attention_out"
                                                 : norm_text(model, "stream + attention_out");
}

ModelStage stage_of(const ModelTrace& model, const LayerStreams& streams, ModelStageId id, const CancelToken& cancel) {
  const OutputHead head = model.checkpoint->output_head();
  const bool norms_result = architecture_of(model).norms_result();
  switch (id) {
    case ModelStageId::stream:
      return {id, streams.all, stream_text(model)};
    case ModelStageId::attention_out:
      return {id, attention_tensor(model), norms_result ? "attention_norm_out" : "output"};
    case ModelStageId::mlp_in:
      return {id, mlp_tensor(model, streams, true, cancel), mlp_in_text(model)};
    case ModelStageId::mlp_out:
      return {id, mlp_tensor(model, streams, false, cancel),
              norms_result ? result_norm_text(model, "MLP(mlp_in)") : "MLP(mlp_in)"};
    case ModelStageId::conv_out:
      return {id, convolution_tensor(model, cancel), "f(convolution(stream of layer 0))"};
    case ModelStageId::final_norm:
      return {id, model.final_hidden,
              head.final_norm.empty() ? "what leaves the last layer" : norm_text(model, "stream")};
    case ModelStageId::logits:
      return {id, logits_tensor(model, cancel),
              head.transform.empty() ? "decoder(final_norm)" : "decoder(transform(final_norm))"};
    case ModelStageId::projected:
      return {id, projected_tensor(model, cancel), head.projection.empty() ? "final_norm" : "projection(final_norm)"};
  }
  HEADSCOPE_ASSERT(false, std::to_string(static_cast<int>(id)));
  return {};
}

}  // namespace

const Tensor& attention_added(const Trace& layer) {
  const bool normed = layer.find(StageId::attention_norm_out) != nullptr;
  return layer.tensor(normed ? StageId::attention_norm_out : StageId::output);
}

LayerStreams layer_streams(const std::string& option, const ModelTrace& model, const CancelToken& cancel,
                           std::int64_t limit) {
  check_layers_kept(option, model);
  const Shape shape = layers_shape(model);
  check_bytes(option, shape, limit);
  const std::int64_t count = shape[0] + 1, size = shape[1] * shape[2] * shape[3];
  const Shape row{shape[1], shape[2], shape[3]};
  const auto memory = std::make_shared<std::vector<float>>(static_cast<std::size_t>(count * size));
  LayerStreams streams;
  streams.all = Tensor::view_of(memory, memory->data(), {count, row[0], row[1], row[2]},
                                row_major_strides({count, row[0], row[1], row[2]}), kLayerAxes);
  std::vector<Tensor> written;
  for (std::int64_t layer = 0; layer < count; ++layer) {
    written.push_back(
        Tensor::writable_view_of(memory, memory->data() + layer * size, row, row_major_strides(row), kAxes));
  }
  const auto read_in = [&](const Tensor& stream, std::int64_t place) {
    stream.read(whole(row), {memory->data() + place * size, static_cast<std::size_t>(size)});
  };
  if (architecture_of(model).of_decoder()) {
    HEADSCOPE_ASSERT(std::ssize(model.whole_streams) == count, "streams of " + model.name);
    for (std::int64_t place = 0; place < count; ++place) {
      read_in(model.whole_streams[static_cast<std::size_t>(place)], place);
    }
    streams.each = std::move(written);
    return streams;
  }
  for (std::int64_t layer = 0; layer + 1 < count; ++layer) {
    read_in(model.streams[static_cast<std::size_t>(layer)], layer);
  }
  const auto last = static_cast<std::size_t>(count - 2);
  const Trace& trace = *model.layers[last];
  const AttendedRows attended{written[last], attention_added(trace)};
  if (is_changed(trace.request, count - 2, kMlpPatch)) {
    read_in(left_with_changed_mlp(trace.request, *trace.inputs, count - 2, attended, *model.backend, cancel),
            count - 1);
  } else {
    finish_layer(architecture_of(model), model.checkpoint->block(count - 2), attended, *model.backend, cancel,
                 written[last + 1]);
  }
  streams.each = std::move(written);
  return streams;
}

std::vector<ModelStage> model_stages(const std::string& option, const Trace& trace, std::span<const ModelStageId> ids,
                                     const CancelToken& cancel, std::int64_t limit) {
  for (const ModelStageId id : ids) check_model_stage(option, trace, id);
  std::vector<ModelStage> stages;
  if (ids.empty()) return stages;
  const ModelTrace& model = *trace.model;
  HEADSCOPE_ASSERT(!model.final_hidden.empty(), "not computed whole: " + model.name);
  check_layers_kept(option, model);
  const bool streamed = std::any_of(ids.begin(), ids.end(), [](ModelStageId id) {
    return id == ModelStageId::stream || model_stage_info(id).needs == ModelStageNeeds::mlp;
  });
  const LayerStreams streams = streamed ? layer_streams(option, model, cancel, limit) : LayerStreams();
  for (const ModelStageId id : ids) stages.push_back(stage_of(model, streams, id, cancel));
  return stages;
}

}  // namespace headscope
