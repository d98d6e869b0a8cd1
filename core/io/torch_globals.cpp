#include "core/io/torch_globals.h"

#include <algorithm>
#include <array>

namespace headscope {
namespace {

using Gives = TorchGlobal::Gives;
using Use = PickleGlobal::Use;

constexpr TorchGlobal number_type(std::string_view module, std::string_view name, const char* dtype) {
  return {{module, name, Use::name}, Gives::nothing, dtype};
}

constexpr TorchGlobal rebuilder(std::string_view module, std::string_view name, Gives gives) {
  return {{module, name, Use::function}, gives, ""};
}

constexpr std::array kGlobals = {
    TorchGlobal{{"collections", "OrderedDict", Use::dictionary}},
    rebuilder("torch._utils", "_rebuild_tensor_v2", Gives::tensor),
    rebuilder("torch._utils", "_rebuild_tensor", Gives::tensor),
    rebuilder("torch._utils", "_rebuild_tensor_v3", Gives::tensor3),
    rebuilder("torch._utils", "_rebuild_parameter", Gives::first),
    rebuilder("torch._utils", "_rebuild_parameter_with_state", Gives::first),
    rebuilder("torch._tensor", "_rebuild_from_type_v2", Gives::applied),
    TorchGlobal{{"torch", "Size", Use::function}},
    TorchGlobal{{"torch", "Tensor", Use::name}},
    TorchGlobal{{"torch.nn.parameter", "Parameter", Use::name}},
    TorchGlobal{{"torch.nn.parameter", "Buffer", Use::name}},
    number_type("torch", "FloatStorage", "F32"),
    number_type("torch", "DoubleStorage", "F64"),
    number_type("torch", "HalfStorage", "F16"),
    number_type("torch", "BFloat16Storage", "BF16"),
    number_type("torch", "LongStorage", "I64"),
    number_type("torch", "IntStorage", "I32"),
    number_type("torch", "ShortStorage", "I16"),
    number_type("torch", "CharStorage", "I8"),
    number_type("torch", "ByteStorage", "U8"),
    number_type("torch", "BoolStorage", "BOOL"),
    number_type("torch", "ComplexFloatStorage", "C64"),
    // Bytes, whose meaning the tensor says.
    number_type("torch", "UntypedStorage", "U8"),
    number_type("torch.storage", "UntypedStorage", "U8"),
    number_type("torch", "float32", "F32"),
    number_type("torch", "float64", "F64"),
    number_type("torch", "float16", "F16"),
    number_type("torch", "bfloat16", "BF16"),
    number_type("torch", "int64", "I64"),
    number_type("torch", "int32", "I32"),
    number_type("torch", "int16", "I16"),
    number_type("torch", "int8", "I8"),
    number_type("torch", "uint64", "U64"),
    number_type("torch", "uint32", "U32"),
    number_type("torch", "uint16", "U16"),
    number_type("torch", "uint8", "U8"),
    number_type("torch", "bool", "BOOL"),
    number_type("torch", "complex64", "C64"),
    number_type("torch", "float8_e4m3fn", "F8_E4M3"),
    number_type("torch", "float8_e5m2", "F8_E5M2"),
};

}  // namespace

std::span<const TorchGlobal> torch_global_rows() {
  return kGlobals;
}

std::span<const PickleGlobal> torch_globals() {
  static const auto all = [] {
    std::array<PickleGlobal, kGlobals.size()> globals;
    std::transform(kGlobals.begin(), kGlobals.end(), globals.begin(), [](const auto& row) { return row.global; });
    return globals;
  }();
  return all;
}

}  // namespace headscope
