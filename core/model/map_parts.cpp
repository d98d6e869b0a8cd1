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
    MapPart{"embedding_norm", &Names::embedding_norm, false, Shape::vector, "norm of the sum of the embeddings"},
    MapPart{"attention_norm", &Names::attention_norm, true, Shape::vector, "norm before (or after) attention"},
    MapPart{"qkv", &Names::qkv, true, Shape::matrix, "queries, keys and values in blocks, instead of the three below"},
    MapPart{"query", &Names::query, true, Shape::matrix, "[num_heads head_dim, d_model]"},
    MapPart{"key", &Names::key, true, Shape::matrix, "[num_kv_heads head_dim, d_model]"},
    MapPart{"value", &Names::value, true, Shape::matrix, "[num_kv_heads head_dim, d_model]"},
    MapPart{"output", &Names::output, true, Shape::matrix, "[d_model, num_heads head_dim]"},
    MapPart{"query_norm", &Names::query_norm, true, Shape::vector, "norm of every head of queries"},
    MapPart{"key_norm", &Names::key_norm, true, Shape::vector, "norm of every head of keys"},
    MapPart{"mlp_norm", &Names::mlp_norm, true, Shape::vector, "norm before (or after) the MLP"},
    MapPart{"gate", &Names::gate, true, Shape::matrix, "[mlp_width, d_model], through the activation"},
    MapPart{"up", &Names::up, true, Shape::matrix, "[mlp_width, d_model]"},
    MapPart{"down", &Names::down, true, Shape::matrix, "[d_model, mlp_width]"},
    MapPart{"final_norm", &Names::final_norm, false, Shape::vector, "norm after the last layer"},
    MapPart{"transform", &Names::transform, false, Shape::matrix, "of a masked head"},
    MapPart{"transform_norm", &Names::transform_norm, false, Shape::vector, "of a masked head"},
    MapPart{"decoder", &Names::decoder, false, Shape::matrix, "[vocab_size, d_model]; left out: the word embedding"},
};

}  // namespace

std::span<const MapPart> map_parts() {
  return kParts;
}

}  // namespace headscope
