#include "core/compare/number_grid.h"

namespace headscope {
namespace {

constexpr NumberGrid kGrids[] = {
    {.name = "float16", .option = "f16", .digits = 11, .lowest = -14, .largest = 65504},
    {.name = "bfloat16", .option = "bf16", .digits = 8, .lowest = -126, .largest = 3.3895313892515355e38},
    {.name = "float8 e4m3", .option = "f8e4m3", .digits = 4, .lowest = -6, .largest = 448},
    {.name = "float8 e5m2", .option = "f8e5m2", .digits = 3, .lowest = -14, .largest = 57344},
    {.name = "TF32", .option = "tf32", .digits = 11, .lowest = -126, .largest = 3.4011621342146535e38},
};

}  // namespace

std::span<const NumberGrid> number_grids() {
  return kGrids;
}

}  // namespace headscope
