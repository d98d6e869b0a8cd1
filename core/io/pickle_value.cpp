#include "core/io/pickle_value.h"

#include <fmt/format.h>

#include "core/base/message_text.h"

namespace headscope {

std::span<const PickleRef> Pickle::items(const PickleValue& value) const {
  using Kind = PickleValue::Kind;
  if (value.kind == Kind::list || value.kind == Kind::dict) return containers_[value.children];
  return std::span(fixed_).subspan(value.children, value.count);
}

const PickleValue* Pickle::find(const PickleValue& value, std::string_view key) const {
  if (value.kind != PickleValue::Kind::dict) return nullptr;
  const std::span<const PickleRef> all = items(value);
  for (std::size_t k = 0; k + 1 < all.size(); k += 2) {
    const PickleValue& name = values_[all[k]];
    if (name.kind == PickleValue::Kind::text && name.text == key) return &values_[all[k + 1]];
  }
  return nullptr;
}

std::string shown_pickle_value(const Pickle& pickle, const PickleValue& value, std::span<const PickleGlobal> globals) {
  using Kind = PickleValue::Kind;
  switch (value.kind) {
    case Kind::none:
      return "None";
    case Kind::truth:
      return value.whole != 0 ? "True" : "False";
    case Kind::whole:
      return fmt::format("the number {}", value.whole);
    case Kind::large:
      return "a number of more than 64 bits";
    case Kind::real:
      return fmt::format("the number {}", value.real);
    case Kind::text:
      return in_quotes(value.text);
    case Kind::tuple:
      return "a tuple";
    case Kind::list:
      return "a list";
    case Kind::dict:
      return "a dictionary";
    case Kind::global: {
      const PickleGlobal& global = globals[static_cast<std::size_t>(value.whole)];
      return fmt::format("{}.{}", global.module, global.name);
    }
    case Kind::call:
      return "what " + shown_pickle_value(pickle, pickle[pickle.items(value)[0]], globals) + " gives";
    case Kind::stored:
      return "a storage";
  }
  return "";
}

}  // namespace headscope
