// What runs the opcodes of a pickle: a stack of values, marks on it, and a memo of values by number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/bytes.h"
#include "core/io/pickle_value.h"

namespace headscope {

class PickleMachine {
 public:
  PickleMachine(std::span<const std::byte> bytes, std::span<const PickleGlobal> globals, const std::string& what)
      : bytes_(bytes), globals_(globals), what_(what) {}
  Pickle run();

 private:
  friend struct PickleOpcodes;  // the table of opcodes
  using Kind = PickleValue::Kind;

  // Bytes behind the opcode.
  std::string_view take(std::uint64_t count);
  std::string_view take_line();
  template <typename T>
  T take_number() {
    return load<T>(reinterpret_cast<const std::byte*>(take(sizeof(T)).data()));
  }

  // The stack. pop_to_mark gives what stands above the last mark, and takes the mark.
  void push(PickleRef ref);
  PickleRef pop();
  std::vector<PickleRef> pop_to_mark();
  PickleValue& top();

  void mark();
  PickleRef add(const PickleValue& value);
  void push_whole(std::int64_t value);
  void push_text(std::string_view text);
  void push_fixed(Kind kind, std::span<const PickleRef> items);
  void push_container(Kind kind);
  void push_tuple_of(std::size_t count);
  void put(std::uint64_t number);
  void get(std::uint64_t number);

  void long_integer(std::uint64_t count);
  void append(std::span<const PickleRef> items);
  void set_items(std::span<const PickleRef> items);
  void push_global(std::string_view module, std::string_view name);
  void reduce();
  void make_dictionary(const PickleGlobal& global, PickleRef arguments);
  void build();

  [[noreturn]] void broken(const std::string& detail) const;
  [[noreturn]] void refuse(const std::string& what_it_is) const;

  std::span<const std::byte> bytes_;
  std::span<const PickleGlobal> globals_;
  const std::string& what_;
  std::size_t at_ = 0;      // the next byte
  std::size_t opcode_ = 0;  // where the opcode stands that is being run
  bool stopped_ = false;
  Pickle pickle_;
  std::vector<PickleRef> stack_;
  std::vector<std::size_t> marks_;  // how high the stack was
  std::vector<PickleRef> memo_;     // by number
  std::size_t copied_ = 0;          // pairs of lists that became dictionaries
};

// A row for every opcode of protocols 0 to 5. Those without a step are refused by their names.
struct PickleOpcodes {
  using Machine = PickleMachine;
  struct Row {
    unsigned char code;
    const char* name;
    void (*step)(Machine&);
  };
  static const std::array<Row, 68> rows;
};

}  // namespace headscope
