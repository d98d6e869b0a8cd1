#include "core/model/image_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/io/jpeg.h"
#include "core/model/checkpoint.h"
#include "core/model/image_processor.h"
#include "core/model/image_resize.h"
#include "core/model/stack.h"
#include "core/request/memory.h"

namespace headscope {
namespace {

const Axes kRows{Axis::position, Axis::feature};

// Cubic convolution between the nearest places: weights may name a place twice, at an edge.
std::vector<ResampleRow> nearest_four(std::int64_t from, std::int64_t to) {
  constexpr double a = -0.75;
  const auto near = [](double x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto far = [](double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  std::vector<ResampleRow> rows;
  for (std::int64_t i = 0; i < to; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5;
    const auto first = static_cast<std::int64_t>(std::floor(centre));
    const double t = centre - static_cast<double>(first);
    const std::array<double, 4> weights{far(t + 1), near(t), near(1 - t), far(2 - t)};
    ResampleRow row{std::clamp<std::int64_t>(first - 1, 0, from - 1), {}};
    for (std::int64_t k = 0; k < 4; ++k) {
      const auto place = static_cast<std::size_t>(std::clamp<std::int64_t>(first - 1 + k, 0, from - 1) - row.begin);
      row.weights.resize(std::max(row.weights.size(), place + 1));
      row.weights[place] += weights[static_cast<std::size_t>(k)];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

double dot(const float* a, const float* b, std::size_t count) {
  std::array<double, 4> parts{};
  std::size_t k = 0;
  for (; k + parts.size() <= count; k += parts.size()) {
    for (std::size_t part = 0; part < parts.size(); ++part) {
      parts[part] += static_cast<double>(a[k + part]) * static_cast<double>(b[k + part]);
    }
  }
  for (; k < count; ++k) parts[0] += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

Image opaque_picture(const std::string& path) {
  Image image = read_picture(path);
  const auto clear = std::find_if(image.pixels.begin(), image.pixels.end(), [](const Rgba& p) { return p.a != 255; });
  if (clear == image.pixels.end()) return image;
  const auto at = static_cast<std::size_t>(clear - image.pixels.begin()), width = static_cast<std::size_t>(image.width);
  throw Error(
      fmt::format("{}: its pixel in column {} of row {} is transparent; expected a picture without transparency", path,
                  at % width, at / width));
}

// Of float32 numbers.
void check_size(const std::string& path, std::int64_t rows, std::int64_t features) {
  const double bytes = 4.0 * static_cast<double>(rows) * static_cast<double>(features);
  if (bytes <= static_cast<double>(kDefaultMemoryLimit)) return;
  throw Error(fmt::format("{}: its {} patches of {} numbers would take {:.1f} GiB; expected at most {} GiB", path, rows,
                          features, bytes / (1 << 30), kDefaultMemoryLimit >> 30));
}

// The numbers of every patch.
Tensor patch_pixels(const ImageProcessor& processor, const ImageInput& input, std::int64_t patch) {
  const std::int64_t features = ImageRule::kChannels * patch * patch;
  check_size(input.path, input.grid.patches(), features);
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(input.grid.patches() * features));
  for (std::int64_t row = 0; row < input.grid.rows; ++row) {
    for (std::int64_t column = 0; column < input.grid.columns; ++column) {
      for (std::size_t channel = 0; channel < ImageRule::kChannels; ++channel) {
        for (std::int64_t place = 0; place < patch * patch; ++place) {
          const Rgba& pixel = input.picture.at(static_cast<int>(column * patch + place % patch),
                                               static_cast<int>(row * patch + place / patch));
          values.push_back(channel_value(processor, pixel, channel));
        }
      }
    }
  }
  return Tensor::of({input.grid.patches(), features}, kRows, std::move(values));
}

std::vector<std::string> token_names(const ImageRule& rule, const ImageGrid& grid) {
  std::vector<std::string> names;
  if (rule.class_token) names.emplace_back("[CLS]");
  for (std::int64_t i = 0; i < rule.registers; ++i) names.push_back(fmt::format("[REG{}]", i));
  for (std::int64_t row = 0; row < grid.rows; ++row) {
    for (std::int64_t column = 0; column < grid.columns; ++column) names.push_back(fmt::format("r{}c{}", row, column));
  }
  return names;
}

Tensor fitted_positions(const Checkpoint& checkpoint, const ImageInput& input) {
  const Architecture& architecture = checkpoint.architecture();
  const ImageRule& rule = *architecture.image;
  const Tensor table = checkpoint.embedding().position;
  const ImageGrid learned{rule.rows(), rule.columns()};
  if (input.grid == learned) return table;
  if (rule.other_grid == ImageRule::OtherGrid::refused) {
    throw Error(fmt::format(
        "{}: {} makes images of {} x {} pixels, {} x {} patches, but {} knows positions of {} x {} patches ({} x {} "
        "pixels)",
        input.path, checkpoint.image_processor()->path, input.picture.width, input.picture.height, input.grid.rows,
        input.grid.columns, checkpoint.path(), learned.rows, learned.columns, rule.width, rule.height));
  }
  return positions_for(table, learned, input.grid, rule.other_grid == ImageRule::OtherGrid::bicubic_antialias);
}

// Row by row into the embedded tokens.
Tensor embedded_tokens(const Checkpoint& checkpoint, const ImageInput& input) {
  const Architecture& architecture = checkpoint.architecture();
  const EmbeddingWeights weights = checkpoint.embedding();
  const PatchWeights& patches = weights.patches;
  const std::int64_t width = architecture.d_model, registers = architecture.image->registers;
  const std::int64_t tokens = input.leading + input.grid.patches();
  check_size(input.path, tokens, width);
  Tensor x = Tensor::zeros({1, tokens, width}, {Axis::batch, Axis::position, Axis::feature});
  float* to = x.mutable_data();
  const std::vector<float> positions = input.positions.values();
  const float* position = positions.data();
  const auto add = [&](std::span<const float> vector) {
    for (std::size_t d = 0; d < vector.size(); ++d) to[d] = vector[d] + position[d];
    to += width;
    position += width;
  };
  if (architecture.image->class_token) add(patches.class_token.values());
  if (registers > 0) {
    const std::vector<float> vectors = patches.registers.values();
    to = std::copy(vectors.begin(), vectors.end(), to);
  }
  const std::vector<float> matrix = patches.projection.weight.values(), bias = patches.projection.bias.values();
  const std::vector<float> pixels = input.pixels.values();
  const auto features = static_cast<std::size_t>(input.pixels.dim(1));
  std::vector<float> made(static_cast<std::size_t>(width));
  for (std::size_t p = 0; p < static_cast<std::size_t>(input.grid.patches()); ++p) {
    for (std::size_t d = 0; d < made.size(); ++d) {
      const double sum = dot(matrix.data() + d * features, pixels.data() + p * features, features);
      made[d] = static_cast<float>(sum + (bias.empty() ? 0.0 : static_cast<double>(bias[d])));
    }
    add(made);
  }
  norm_rows(architecture, weights.norm, x, 0, x);
  return x;
}

}  // namespace

Tensor positions_for(const Tensor& table, const ImageGrid& learned, const ImageGrid& grid, bool antialias) {
  const auto rows_of = [antialias](std::int64_t from, std::int64_t to) {
    return antialias ? resample_rows(from, to, bicubic_filter()) : nearest_four(from, to);
  };
  const std::vector<ResampleRow> rows = rows_of(learned.rows, grid.rows),
                                 columns = rows_of(learned.columns, grid.columns);
  const std::int64_t leading = table.dim(0) - learned.patches();
  const auto width = static_cast<std::size_t>(table.dim(1));
  const std::vector<float> from = table.values();
  std::vector<float> values(from.begin(), from.begin() + leading * table.dim(1));
  std::vector<double> sum(width);
  for (const ResampleRow& row : rows) {
    for (const ResampleRow& column : columns) {
      std::fill(sum.begin(), sum.end(), 0.0);
      for (std::size_t y = 0; y < row.weights.size(); ++y) {
        for (std::size_t x = 0; x < column.weights.size(); ++x) {
          const double weight = row.weights[y] * column.weights[x];
          const std::int64_t place = leading + (row.begin + static_cast<std::int64_t>(y)) * learned.columns +
                                     column.begin + static_cast<std::int64_t>(x);
          const float* vector = from.data() + static_cast<std::size_t>(place) * width;
          for (std::size_t d = 0; d < width; ++d) sum[d] += weight * static_cast<double>(vector[d]);
        }
      }
      for (const double value : sum) values.push_back(static_cast<float>(value));
    }
  }
  return Tensor::of({leading + grid.patches(), table.dim(1)}, kRows, std::move(values));
}

std::shared_ptr<const ImageInput> read_image_input(const std::string& path, const Checkpoint& checkpoint) {
  const ImageRule& rule = *checkpoint.architecture().image;
  const std::shared_ptr<const ImageProcessor> processor = checkpoint.image_processor();
  if (processor == nullptr) {
    throw Error(fmt::format("{}: found no preprocessor_config.json in it, which says how an image becomes numbers",
                            checkpoint.path()));
  }
  auto input = std::make_shared<ImageInput>();
  input->path = path;
  input->picture = fitted_image(*processor, opaque_picture(path), path);
  input->grid = {input->picture.height / rule.patch, input->picture.width / rule.patch};
  if (input->grid.patches() == 0) {
    throw Error(fmt::format("{}: {} x {} pixels hold no patch of {} x {}", path, input->picture.width,
                            input->picture.height, rule.patch, rule.patch));
  }
  input->leading = rule.leading();
  input->positions = fitted_positions(checkpoint, *input);
  input->pixels = patch_pixels(*processor, *input, rule.patch);
  input->embedded = embedded_tokens(checkpoint, *input);
  input->names = token_names(rule, input->grid);
  return input;
}

}  // namespace headscope
