#include "core/model/image_processor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/json_text.h"
#include "core/model/config_reader.h"
#include "core/model/config_values.h"
#include "core/model/weight_files.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostPixels = 16384;  // of a side
constexpr std::string_view kTypes[] = {"ViT", "Bit", "CLIP", "Siglip"};

struct Reader {
  ConfigReader& reader;
  ImageProcessor& processor;

  // Of "size" or "crop_size": a number, or an object with height and width, or with shortest_edge where `shortest` may
  // be filled.
  std::optional<ImageProcessor::Size> size(const char* key, std::int64_t* shortest, bool number_is_shortest);
  std::array<double, 3> channels(const char* key);
  void resizing(const Architecture& architecture);
  void read(const Architecture& architecture);
};

std::optional<ImageProcessor::Size> Reader::size(const char* key, std::int64_t* shortest, bool number_is_shortest) {
  const JsonValue* value = reader.find(key);
  if (value == nullptr) {
    reader.add_problem(fmt::format("{} is missing", key));
    return std::nullopt;
  }
  if (value->kind == JsonValue::Kind::number) {
    const std::int64_t side = reader.whole(key, 1, kMostPixels);
    if (!number_is_shortest || shortest == nullptr) return ImageProcessor::Size{side, side};
    *shortest = side;
    return std::nullopt;
  }
  if (value->kind == JsonValue::Kind::object) {
    ConfigReader inner(*value);
    const bool edge = inner.find("shortest_edge") != nullptr;
    std::optional<ImageProcessor::Size> size;
    if (inner.find("height") != nullptr && inner.find("width") != nullptr) {
      size = ImageProcessor::Size{inner.whole("height", 1, kMostPixels), inner.whole("width", 1, kMostPixels)};
    } else if (edge && shortest != nullptr && inner.find("longest_edge") == nullptr) {
      *shortest = inner.whole("shortest_edge", 1, kMostPixels);
    } else {
      reader.add_problem(fmt::format("{} has the keys {}, expected height and width{}", key,
                                     fmt::join(value->keys, ", "), shortest == nullptr ? "" : ", or shortest_edge"));
    }
    for (const std::string& problem : inner.problems()) reader.add_problem(fmt::format("{}: {}", key, problem));
    return size;
  }
  reader.add_problem(fmt::format("{} is {}, expected a number or an object", key, shown_value(*value)));
  return std::nullopt;
}

std::array<double, 3> Reader::channels(const char* key) {
  std::array<double, 3> numbers{1, 1, 1};
  const JsonValue* value = reader.find(key);
  if (value == nullptr || value->kind != JsonValue::Kind::array || value->items.size() != numbers.size()) {
    reader.add_problem(
        fmt::format("{} is {}, expected a list of 3 numbers", key, value == nullptr ? "missing" : shown_value(*value)));
    return numbers;
  }
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    JsonValue one;
    one.kind = JsonValue::Kind::object;
    one.keys = {key};
    one.items = {value->items[k]};
    ConfigReader item(one);
    // A mean may be 0, which no deviation may.
    const bool zero = value->items[k].kind == JsonValue::Kind::number &&
                      value->items[k].text.find_first_not_of("0.") == std::string::npos;
    numbers[k] = zero && std::string_view(key) == "image_mean" ? 0 : item.positive(key);
    for (const std::string& problem : item.problems()) reader.add_problem(problem);
  }
  return numbers;
}

void Reader::resizing(const Architecture& architecture) {
  const bool vit = architecture.family == "vit";
  const std::int64_t number = reader.whole("resample", 0, 5, vit ? 2 : 3);
  for (const ResampleFilter& filter : resample_filters()) {
    if (filter.number == number) processor.filter = &filter;
  }
  if (processor.filter == nullptr) {
    reader.add_problem(fmt::format("resample is {} (nearest), which is not implemented; expected 1 to 5", number));
  }
  const bool by_edge = architecture.family == "clip_vision" || architecture.family == "dinov2";
  processor.size = size("size", &processor.shortest_edge, by_edge);
}

void Reader::read(const Architecture& architecture) {
  std::string type = reader.text("image_processor_type", reader.text("feature_extractor_type", ""));
  for (const std::string_view ending : {"Fast", "ImageProcessor", "FeatureExtractor"}) {
    if (type.ends_with(ending)) type.resize(type.size() - ending.size());
  }
  if (!type.empty() && std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes)) {
    reader.add_problem(fmt::format("image_processor_type is {}, which is not implemented; expected {}ImageProcessor",
                                   in_quotes(type + "ImageProcessor"), fmt::join(kTypes, "ImageProcessor, ")));
  }
  for (const Refusal& refusal :
       {Refusal{"do_pad", {"false"}}, Refusal{"do_thumbnail", {"false"}}, Refusal{"do_align_long_axis", {"false"}},
        Refusal{"do_split_image", {"false"}}, Refusal{"do_color_quantize", {"false"}}, Refusal{"crop_pct", {}}}) {
    refuse_unless_allowed(reader, refusal);
  }
  if (reader.truth("do_resize", true)) resizing(architecture);
  if (reader.truth("do_center_crop", reader.find("crop_size") != nullptr)) {
    processor.crop = size("crop_size", nullptr, false);
  }
  if (reader.truth("do_rescale", true)) processor.factor = reader.positive("rescale_factor", 1.0 / 255);
  if (reader.truth("do_normalize", true)) {
    processor.mean = channels("image_mean");
    processor.deviation = channels("image_std");
  }
}

}  // namespace

ImageProcessor parse_image_processor(const std::string& json, const Architecture& architecture,
                                     const std::string& path) {
  const JsonValue value = parse_strict_json(json, path);
  if (value.kind != JsonValue::Kind::object) {
    throw Error(fmt::format("{}: found {}; expected an object", path, json_kind_name(value.kind)));
  }
  ConfigReader reader(value);
  ImageProcessor processor;
  processor.path = path;
  Reader{reader, processor}.read(architecture);
  if (!reader.problems().empty()) throw Error(fmt::format("{}: {}", path, first_ten(reader.problems(), "; ")));
  return processor;
}

std::shared_ptr<const ImageProcessor> read_image_processor(const std::string& folder,
                                                           const Architecture& architecture) {
  const std::filesystem::path path = std::filesystem::path(folder) / "preprocessor_config.json";
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) return nullptr;
  return std::make_shared<const ImageProcessor>(
      parse_image_processor(read_json_text(path.string()), architecture, path.string()));
}

Image fitted_image(const ImageProcessor& processor, const Image& image, const std::string& what) {
  Image fitted = image;
  if (processor.filter != nullptr) {
    ImageProcessor::Size size = processor.size.value_or(ImageProcessor::Size{});
    if (!processor.size) {
      const std::int64_t shorter = std::min(image.width, image.height), longer = std::max(image.width, image.height);
      const std::int64_t other = processor.shortest_edge * longer / shorter;
      size = image.width <= image.height ? ImageProcessor::Size{other, processor.shortest_edge}
                                         : ImageProcessor::Size{processor.shortest_edge, other};
    }
    if (std::max(size.height, size.width) > kMostPixels) {
      throw Error(fmt::format("{}: {} x {} pixels would become {} x {}; expected at most {} a side", what, image.width,
                              image.height, size.width, size.height, kMostPixels));
    }
    fitted = resized(image, static_cast<int>(size.width), static_cast<int>(size.height), *processor.filter);
  }
  if (!processor.crop) return fitted;
  const int height = static_cast<int>(processor.crop->height), width = static_cast<int>(processor.crop->width);
  if (width > fitted.width || height > fitted.height) {
    throw Error(fmt::format("{}: {} x {} pixels, of which {} cuts {} x {}; expected at least as many", what,
                            fitted.width, fitted.height, processor.path, width, height));
  }
  const int left = (fitted.width - width) / 2, top = (fitted.height - height) / 2;
  Image cut(width, height);
  for (int y = 0; y < height; ++y) std::copy_n(&fitted.at(left, top + y), width, &cut.at(0, y));
  return cut;
}

float channel_value(const ImageProcessor& processor, const Rgba& pixel, std::size_t channel) {
  const double number = channel == 0 ? pixel.r : channel == 1 ? pixel.g : pixel.b;
  return static_cast<float>((number * processor.factor - processor.mean[channel]) / processor.deviation[channel]);
}

}  // namespace headscope
