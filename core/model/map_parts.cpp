// The parts of a model that a map may name.
#include <array>

#include "core/model/model_map.h"

namespace headscope {
namespace {

using Shape = MapPart::Shape;
using Names = TensorNames;

constexpr std::array kParts = {
    MapPart{"word", &Names::word, false, Shape::table, "[vocab_size, d_model]"},
    MapPart{"position", &Names::position, false, Shape::table, "[positions, d_model]"},
    MapPart{"token_type", &Names::token_type, false, Shape::table, "[token types, d_model]"},
    MapPart{"embedding_norm", &Names::embedding_norm, false, Shape::norm, "norm of the sum of the embeddings"},
    MapPart{"attention_norm", &Names::attention_norm, true, Shape::norm, "norm before (or after) attention"},
    MapPart{"attention_norm_out", &Names::attention_norm_out, true, Shape::norm, "norm of what attention gives"},
    MapPart{"qkv", &Names::qkv, true, Shape::matrix, "queries, keys and values in one, instead of the three below"},
    MapPart{"query", &Names::query, true, Shape::matrix, "[num_heads head_dim, d_model]"},
    MapPart{"key", &Names::key, true, Shape::matrix, "[num_kv_heads head_dim, d_model]"},
    MapPart{"value", &Names::value, true, Shape::matrix, "[num_kv_heads head_dim, d_model]"},
    MapPart{"output", &Names::output, true, Shape::matrix, "[d_model, num_heads head_dim]"},
    MapPart{"query_norm", &Names::query_norm, true, Shape::vector, "norm of every head of queries"},
    MapPart{"key_norm", &Names::key_norm, true, Shape::vector, "norm of every head of keys"},
    MapPart{"sinks", &Names::sinks, true, Shape::vector, "[num_heads], a logit of every head that joins the softmax"},
    MapPart{"mlp_norm", &Names::mlp_norm, true, Shape::norm, "norm before (or after) the MLP"},
    MapPart{"mlp_norm_out", &Names::mlp_norm_out, true, Shape::norm, "norm of what the MLP gives"},
    MapPart{"gate_up", &Names::gate_up, true, Shape::matrix, "rows of gate, then of up, instead of the two below"},
    MapPart{"gate", &Names::gate, true, Shape::matrix, "[mlp_width, d_model], through the activation"},
    MapPart{"up", &Names::up, true, Shape::matrix, "[mlp_width, d_model]"},
    MapPart{"down", &Names::down, true, Shape::matrix, "[d_model, mlp_width]"},
    MapPart{"final_norm", &Names::final_norm, false, Shape::norm, "norm after the last layer"},
    MapPart{"transform", &Names::transform, false, Shape::matrix, "of a masked head"},
    MapPart{"transform_norm", &Names::transform_norm, false, Shape::norm, "of a masked head"},
    MapPart{"decoder", &Names::decoder, false, Shape::matrix, "[vocab_size, d_model]; left out: the word embedding"},
};

}  // namespace

std::span<const MapPart> map_parts() {
  return kParts;
}

}  // namespace headscope
