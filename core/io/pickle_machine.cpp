#include "core/io/pickle_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"

namespace headscope {
namespace {

constexpr std::size_t kMostValues = 4'000'000;
constexpr std::size_t kMostOnStack = 100'000;
constexpr std::size_t kMostPairs = 1'000'000;  // of lists that become dictionaries
constexpr PickleRef kNoValue = ~PickleRef{0};  // where the memo has none
// Some 45 make a tensor. Everything that is kept grows by steps.
constexpr std::size_t kMostSteps = 32'000'000;

}  // namespace

void PickleMachine::broken(const std::string& detail) const {
  throw Error(fmt::format("{}: broken pickle: {}, at byte {}", what_, detail, opcode_));
}

void PickleMachine::refuse(const std::string& what_it_is) const {
  throw Error(
      fmt::format("{}: its pickle holds {} at byte {}, which rebuilds no tensor, so it is not read, and nothing of it "
                  "was run; expected tensors by name: save them alone, by torch.save(model.state_dict(), FILE)",
                  what_, what_it_is, opcode_));
}

std::string_view PickleMachine::take(std::uint64_t count) {
  if (count > bytes_.size() - at_) broken("it breaks off (a download cut short?)");
  const char* const first = reinterpret_cast<const char*>(bytes_.data()) + at_;
  at_ += static_cast<std::size_t>(count);
  return {first, static_cast<std::size_t>(count)};
}

std::string_view PickleMachine::take_line() {
  const std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at_, bytes_.size() - at_);
  const std::size_t end = rest.find('\n');
  if (end == rest.npos) broken("it breaks off in a name (a download cut short?)");
  at_ += end + 1;
  return rest.substr(0, end);
}

void PickleMachine::push(PickleRef ref) {
  if (stack_.size() >= kMostOnStack) broken(fmt::format("more than {} values on its stack", kMostOnStack));
  stack_.push_back(ref);
}

PickleRef PickleMachine::pop() {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) broken("its stack is empty");
  const PickleRef ref = stack_.back();
  stack_.pop_back();
  return ref;
}

std::vector<PickleRef> PickleMachine::pop_to_mark() {
  if (marks_.empty()) broken("a mark is missing");
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  marks_.pop_back();
  std::vector<PickleRef> items(first, stack_.end());
  stack_.erase(first, stack_.end());
  return items;
}

PickleValue& PickleMachine::top() {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) broken("its stack is empty");
  return pickle_.values_[stack_.back()];
}

PickleRef PickleMachine::add(const PickleValue& value) {
  if (pickle_.values_.size() >= kMostValues) broken(fmt::format("more than {} values", kMostValues));
  pickle_.values_.push_back(value);
  return static_cast<PickleRef>(pickle_.values_.size() - 1);
}

void PickleMachine::mark() {
  if (marks_.size() >= kMostOnStack) broken(fmt::format("more than {} marks", kMostOnStack));
  marks_.push_back(stack_.size());
}

void PickleMachine::push_whole(std::int64_t value) {
  push(add({.kind = Kind::whole, .whole = value}));
}

void PickleMachine::push_text(std::string_view text) {
  push(add({.kind = Kind::text, .text = text}));
}

void PickleMachine::push_fixed(Kind kind, std::span<const PickleRef> items) {
  const auto first = static_cast<std::uint32_t>(pickle_.fixed_.size());
  pickle_.fixed_.insert(pickle_.fixed_.end(), items.begin(), items.end());
  push(add({.kind = kind, .children = first, .count = static_cast<std::uint32_t>(items.size())}));
}

void PickleMachine::push_container(Kind kind) {
  const auto place = static_cast<std::uint32_t>(pickle_.containers_.size());
  push(add({.kind = kind, .children = place}));
  pickle_.containers_.emplace_back();
}

void PickleMachine::push_tuple_of(std::size_t count) {
  PickleRef items[3] = {};
  for (std::size_t k = count; k > 0; --k) items[k - 1] = pop();
  push_fixed(Kind::tuple, std::span(items, count));
}

void PickleMachine::put(std::uint64_t number) {
  top();  // says when there is none
  if (number >= kMostValues) broken(fmt::format("a value is kept under {}; they are counted from 0", number));
  if (number >= memo_.size()) memo_.resize(static_cast<std::size_t>(number) + 1, kNoValue);
  memo_[static_cast<std::size_t>(number)] = stack_.back();
}

void PickleMachine::get(std::uint64_t number) {
  if (number >= memo_.size() || memo_[static_cast<std::size_t>(number)] == kNoValue) {
    broken(fmt::format("nothing was kept under {}", number));
  }
  push(memo_[static_cast<std::size_t>(number)]);
}

void PickleMachine::long_integer(std::uint64_t count) {
  const std::string_view raw = take(count);
  if (count > 8) {
    push(add({.kind = Kind::large}));
    return;
  }
  // Two's complement of any length.
  std::uint64_t bits = !raw.empty() && (raw.back() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
  for (std::size_t k = raw.size(); k > 0; --k) bits = bits << 8 | static_cast<unsigned char>(raw[k - 1]);
  push_whole(static_cast<std::int64_t>(bits));
}

void PickleMachine::append(std::span<const PickleRef> items) {
  if (top().kind != Kind::list) broken("something is appended to what is no list");
  std::vector<PickleRef>& list = pickle_.containers_[top().children];
  list.insert(list.end(), items.begin(), items.end());
}

void PickleMachine::set_items(std::span<const PickleRef> items) {
  if (top().kind != Kind::dict) broken("an item is set in what is no dictionary");
  if (items.size() % 2 != 0) broken("a key without a value");
  std::vector<PickleRef>& dict = pickle_.containers_[top().children];
  dict.insert(dict.end(), items.begin(), items.end());
}

void PickleMachine::push_global(std::string_view module, std::string_view name) {
  const auto row = std::find_if(globals_.begin(), globals_.end(),
                                [&](const PickleGlobal& g) { return g.module == module && g.name == name; });
  if (row == globals_.end()) refuse(fmt::format("{}.{}", shortened(module), shortened(name)));
  push(add({.kind = Kind::global, .whole = row - globals_.begin()}));
}

void PickleMachine::reduce() {
  const PickleRef arguments = pop(), function = pop();
  if (pickle_[function].kind != Kind::global || pickle_[arguments].kind != Kind::tuple) {
    refuse(fmt::format("a call (REDUCE) of {}", shown_pickle_value(pickle_, pickle_[function], globals_)));
  }
  const PickleGlobal& global = globals_[static_cast<std::size_t>(pickle_[function].whole)];
  switch (global.use) {
    case PickleGlobal::Use::dictionary:
      return make_dictionary(global, arguments);
    case PickleGlobal::Use::function: {
      const PickleRef items[] = {function, arguments};
      return push_fixed(Kind::call, items);
    }
    case PickleGlobal::Use::name:
      refuse(fmt::format("a call (REDUCE) of {}.{}", global.module, global.name));
  }
}

// OrderedDict() or, as Python 2 wrote it, OrderedDict([[key, value], ...]).
void PickleMachine::make_dictionary(const PickleGlobal& global, PickleRef arguments) {
  const auto refused = [&] {
    refuse(fmt::format("a call of {}.{} with other arguments than a list of pairs", global.module, global.name));
  };
  std::vector<PickleRef> items;
  const std::vector<PickleRef> given(pickle_.items(pickle_[arguments]).begin(),
                                     pickle_.items(pickle_[arguments]).end());
  if (given.size() > 1 || (given.size() == 1 && pickle_[given[0]].kind != Kind::list)) refused();
  if (!given.empty()) {
    const std::span<const PickleRef> pairs = pickle_.items(pickle_[given[0]]);
    copied_ += pairs.size();
    if (copied_ > kMostPairs) broken(fmt::format("more than {} pairs", kMostPairs));
    for (const PickleRef pair : pairs) {
      const Kind kind = pickle_[pair].kind;
      if (kind != Kind::tuple && kind != Kind::list) refused();
      const std::span<const PickleRef> both = pickle_.items(pickle_[pair]);
      if (both.size() != 2) refused();
      items.insert(items.end(), both.begin(), both.end());
    }
  }
  push_container(Kind::dict);
  top().by_call = true;
  set_items(items);
}

// Attributes of a dictionary (a state_dict's _metadata) say nothing of its tensors.
void PickleMachine::build() {
  pop();
  if (!top().by_call) {
    refuse(fmt::format("a BUILD of {}", shown_pickle_value(pickle_, top(), globals_)));
  }
}

namespace {

const PickleOpcodes::Row* row_of(std::uint8_t code) {
  static const auto by_code = [] {
    std::array<const PickleOpcodes::Row*, 256> rows{};
    for (const PickleOpcodes::Row& row : PickleOpcodes::rows) rows[row.code] = &row;
    return rows;
  }();
  return by_code[code];
}

}  // namespace

Pickle PickleMachine::run() {
  for (std::size_t steps = 0; !stopped_; ++steps) {
    opcode_ = at_;
    if (steps >= kMostSteps) broken(fmt::format("more than {} opcodes", kMostSteps));
    const auto code = take_number<std::uint8_t>();
    const PickleOpcodes::Row* const row = row_of(code);
    if (row == nullptr) broken(fmt::format("{:#04x} is no opcode", code));
    if (row->step == nullptr) refuse(fmt::format("the opcode {}", row->name));
    row->step(*this);
  }
  pickle_.root_ = pop();
  if (!stack_.empty() || !marks_.empty()) broken("something is left on its stack");
  pickle_.size_ = at_;
  return std::move(pickle_);
}

}  // namespace headscope
