// What a Python pickle holds, as data: numbers, texts, tuples, lists, dictionaries, and names of functions with the
// arguments that they would be called with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// A name that a pickle may hold, and what may be done with it there.
struct PickleGlobal {
  enum class Use {
    dictionary,  // called without arguments, or with a list of pairs: a dictionary (collections.OrderedDict)
    function,    // called: PickleValue::Kind::call
    name         // stands for itself, and is not called
  };
  std::string_view module, name;
  Use use = Use::name;
};

// A value by its number in its Pickle: values that several others hold exist once.
using PickleRef = std::uint32_t;

struct PickleValue {
  enum class Kind : std::uint8_t {
    none,
    truth,  // whole: 0 or 1
    whole,
    large,  // an integer of more than 64 bits, whose value is not kept
    real,
    text,
    tuple,
    list,
    dict,
    global,  // whole: its place in the list of names
    call,    // items: the global and the tuple of its arguments
    stored   // items: the id of something that lies outside of the pickle (a "persistent id")
  };
  Kind kind = Kind::none;
  bool by_call = false;        // a dict that a call made, whose attributes (BUILD) are passed over
  std::uint32_t children = 0;  // where Pickle::items finds them
  std::uint32_t count = 0;
  std::int64_t whole = 0;
  double real = 0;
  std::string_view text = {};  // in the bytes of the pickle
};

class Pickle {
 public:
  const PickleValue& operator[](PickleRef ref) const { return values_[ref]; }
  const PickleValue& root() const { return values_[root_]; }
  // Members of a tuple or list; key, value, key, value of a dict; what Kind says of a call and of what is stored.
  std::span<const PickleRef> items(const PickleValue& value) const;
  const std::deque<PickleValue>& values() const { return values_; }
  std::size_t size() const { return size_; }  // bytes, up to and with its STOP
  // The value of a key that is a text; null when the dict has none, or `value` is no dict.
  const PickleValue* find(const PickleValue& value, std::string_view key) const;

 private:
  friend class PickleMachine;
  std::deque<PickleValue> values_;
  std::vector<PickleRef> fixed_;                   // of tuples, calls and what is stored
  std::deque<std::vector<PickleRef>> containers_;  // of lists and dicts, which grow
  PickleRef root_ = 0;
  std::size_t size_ = 0;
};

// "a list", "the number 3", "torch.FloatStorage": for messages.
std::string shown_pickle_value(const Pickle& pickle, const PickleValue& value, std::span<const PickleGlobal> globals);

}  // namespace headscope
