// The parts of a model that a map may name.
#include <array>

#include "core/model/model_map.h"

namespace headscope {
namespace {

using PartShape = MapPart::Shape;
using Names = TensorNames;

constexpr std::array kParts = {
    MapPart{"word", &Names::word, false, PartShape::table, "[vocab_size, d_model]"},
    MapPart{"position", &Names::position, false, PartShape::table, "[positions, d_model]"},
    MapPart{"token_type", &Names::token_type, false, PartShape::table, "[token types, d_model]"},
    MapPart{"embedding_norm", &Names::embedding_norm, false, PartShape::norm, "norm of the sum of the embeddings"},
    MapPart{"attention_norm", &Names::attention_norm, true, PartShape::norm, "norm before (or after) attention"},
    MapPart{"attention_norm_out", &Names::attention_norm_out, true, PartShape::norm, "norm of what attention gives"},
    MapPart{"qkv", &Names::qkv, true, PartShape::matrix, "queries, keys and values in one, instead of the three below"},
    MapPart{"query", &Names::query, true, PartShape::matrix, "[num_heads head_dim, d_model]"},
    MapPart{"key", &Names::key, true, PartShape::matrix, "[num_kv_heads head_dim, d_model]"},
    MapPart{"value", &Names::value, true, PartShape::matrix, "[num_kv_heads head_dim, d_model]"},
    MapPart{"output", &Names::output, true, PartShape::matrix, "[d_model, num_heads head_dim]"},
    MapPart{"query_norm", &Names::query_norm, true, PartShape::vector, "norm of every head of queries"},
    MapPart{"key_norm", &Names::key_norm, true, PartShape::vector, "norm of every head of keys"},
    MapPart{"sinks", &Names::sinks, true, PartShape::vector,
            "[num_heads], a logit of every head that joins the softmax"},
    MapPart{"mlp_norm", &Names::mlp_norm, true, PartShape::norm, "norm before (or after) the MLP"},
    MapPart{"mlp_norm_out", &Names::mlp_norm_out, true, PartShape::norm, "norm of what the MLP gives"},
    MapPart{"gate_up", &Names::gate_up, true, PartShape::matrix, "rows of gate, then of up, instead of the two below"},
    MapPart{"gate", &Names::gate, true, PartShape::matrix, "[mlp_width, d_model], through the activation"},
    MapPart{"up", &Names::up, true, PartShape::matrix, "[mlp_width, d_model]"},
    MapPart{"down", &Names::down, true, PartShape::matrix, "[d_model, mlp_width]"},
    MapPart{"final_norm", &Names::final_norm, false, PartShape::norm, "norm after the last layer"},
    MapPart{"transform", &Names::transform, false, PartShape::matrix, "of a masked head"},
    MapPart{"transform_norm", &Names::transform_norm, false, PartShape::norm, "of a masked head"},
    MapPart{"decoder", &Names::decoder, false, PartShape::matrix,
            "[vocab_size, d_model]; left out: the word embedding"},
};

}  // namespace

std::span<const MapPart> map_parts() {
  return kParts;
}

}  // namespace headscope
