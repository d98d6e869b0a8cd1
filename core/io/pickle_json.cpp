#include "core/io/pickle_json.h"

#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>

#include "core/base/utf8.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

using Kind = PickleValue::Kind;
using Json = nlohmann::ordered_json;

constexpr int kDeepest = 4;
constexpr std::size_t kMostValues = 100'000;

class Converter {
 public:
  explicit Converter(const Pickle& pickle) : pickle_(pickle) {}

  std::optional<Json> json(const PickleValue& value, int depth) {
    if (++values_ > kMostValues || depth > kDeepest) return std::nullopt;
    switch (value.kind) {
      case Kind::none:
        return Json(nullptr);
      case Kind::truth:
        return Json(value.whole != 0);
      case Kind::whole:
        return Json(value.whole);
      case Kind::real:
        return std::isfinite(value.real) ? std::optional<Json>(value.real) : std::nullopt;
      case Kind::text:
        return is_valid_utf8(value.text) ? std::optional<Json>(std::string(value.text)) : std::nullopt;
      case Kind::tuple:
      case Kind::list:
        return list(pickle_.items(value), depth);
      case Kind::dict:
        return object(pickle_.items(value), depth);
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<Json> list(std::span<const PickleRef> items, int depth) {
    Json all = Json::array();
    for (const PickleRef item : items) {
      std::optional<Json> one = json(pickle_[item], depth + 1);
      if (!one) return std::nullopt;
      all.push_back(std::move(*one));
    }
    return all;
  }

  std::optional<Json> object(std::span<const PickleRef> items, int depth) {
    Json all = Json::object();
    for (std::size_t k = 0; k + 1 < items.size(); k += 2) {
      const PickleValue& key = pickle_[items[k]];
      std::optional<Json> one = json(pickle_[items[k + 1]], depth + 1);
      if (!one || key.kind != Kind::text || !is_valid_utf8(key.text)) return std::nullopt;
      all[std::string(key.text)] = std::move(*one);
    }
    return all;
  }

  const Pickle& pickle_;
  std::size_t values_ = 0;
};

}  // namespace

std::optional<std::string> json_of_pickle(const Pickle& pickle, const PickleValue& value) {
  const std::optional<Json> json = Converter(pickle).json(value, 0);
  return json ? std::optional<std::string>(json_dump(*json)) : std::nullopt;
}

std::map<std::string, std::string> settings_of_pickle(const Pickle& pickle) {
  std::map<std::string, std::string> settings;
  if (pickle.root().kind != Kind::dict) return settings;
  const std::span<const PickleRef> items = pickle.items(pickle.root());
  for (std::size_t k = 0; k + 1 < items.size(); k += 2) {
    const PickleValue& key = pickle[items[k]];
    if (key.kind != Kind::text || !is_valid_utf8(key.text)) continue;
    if (const std::optional<std::string> json = json_of_pickle(pickle, pickle[items[k + 1]])) {
      settings[std::string(key.text)] = *json;
    }
  }
  return settings;
}

}  // namespace headscope
