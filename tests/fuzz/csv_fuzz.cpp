// Whatever parse_csv_matrix accepts can be written with number_text and read back bit for bit.
#include <cmath>
#include <cstring>
#include <string>

#include "core/base/error.h"
#include "core/io/csv.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Tensor matrix;
  try {
    matrix = parse_csv_matrix(fuzz::as_bytes(data, size), "fuzz.csv");
  } catch (const Error&) {
    return 0;
  }
  const std::vector<float> values = matrix.values();
  fuzz::require(!values.empty() && values.size() <= size, "one value at least, and no more than bytes");
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += number_text(values[i]);
    text += (i + 1) % static_cast<std::size_t>(matrix.dim(1)) == 0 ? '\n' : ',';
  }
  const Tensor back = parse_csv_matrix(std::as_bytes(std::span(text)), "back.csv");
  fuzz::require(back.shape() == matrix.shape(), "a round trip keeps the shape");
  const std::vector<float> again = back.values();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool same = std::isnan(values[i]) ? std::isnan(again[i]) : std::memcmp(&values[i], &again[i], 4) == 0;
    fuzz::require(same, "a round trip keeps every number");
  }
  return 0;
}
