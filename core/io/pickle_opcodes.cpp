// The opcodes that a pickle may hold, and what each does.
#include <fmt/format.h>

#include "core/io/pickle_machine.h"

namespace headscope {

// Lambdas of this table see what is private in the machine.
const std::array<PickleOpcodes::Row, 68> PickleOpcodes::rows = {{
      {0x80, "PROTO",
       [](Machine& m) {
         const auto version = m.take_number<std::uint8_t>();
         if (version > 5) m.broken(fmt::format("protocol {}; 2 to 5 are read", version));
       }},
      {0x95, "FRAME",
       [](Machine& m) {
         const auto length = m.take_number<std::uint64_t>();
         if (length > m.bytes_.size() - m.at_) m.broken("a frame reaches beyond the end (a download cut short?)");
       }},
      {'.', "STOP", [](Machine& m) { m.stopped_ = true; }},
      {'(', "MARK",
       [](Machine& m) {
         m.mark();
       }},
      {'N', "NONE", [](Machine& m) { m.push(m.add({})); }},
      {0x88, "NEWTRUE", [](Machine& m) { m.push(m.add({.kind = PickleValue::Kind::truth, .whole = 1})); }},
      {0x89, "NEWFALSE", [](Machine& m) { m.push(m.add({.kind = PickleValue::Kind::truth, .whole = 0})); }},
      {'J', "BININT", [](Machine& m) { m.push_whole(m.take_number<std::int32_t>()); }},
      {'K', "BININT1", [](Machine& m) { m.push_whole(m.take_number<std::uint8_t>()); }},
      {'M', "BININT2", [](Machine& m) { m.push_whole(m.take_number<std::uint16_t>()); }},
      {0x8a, "LONG1", [](Machine& m) { m.long_integer(m.take_number<std::uint8_t>()); }},
      {0x8b, "LONG4", [](Machine& m) { m.long_integer(m.take_number<std::uint32_t>()); }},
      {'G', "BINFLOAT",
       [](Machine& m) {
         const std::string_view raw = m.take(8);
         m.push(m.add(
             {.kind = PickleValue::Kind::real, .real = load<double>(reinterpret_cast<const std::byte*>(raw.data()), true)}));
       }},
      {'U', "SHORT_BINSTRING", [](Machine& m) { m.push_text(m.take(m.take_number<std::uint8_t>())); }},
      {'T', "BINSTRING", [](Machine& m) { m.push_text(m.take(m.take_number<std::uint32_t>())); }},
      {0x8c, "SHORT_BINUNICODE", [](Machine& m) { m.push_text(m.take(m.take_number<std::uint8_t>())); }},
      {'X', "BINUNICODE", [](Machine& m) { m.push_text(m.take(m.take_number<std::uint32_t>())); }},
      {']', "EMPTY_LIST", [](Machine& m) { m.push_container(PickleValue::Kind::list); }},
      {'a', "APPEND",
       [](Machine& m) {
         const PickleRef item[] = {m.pop()};
         m.append(item);
       }},
      {'e', "APPENDS", [](Machine& m) { m.append(m.pop_to_mark()); }},
      {'}', "EMPTY_DICT", [](Machine& m) { m.push_container(PickleValue::Kind::dict); }},
      {'s', "SETITEM",
       [](Machine& m) {
         const PickleRef value = m.pop(), key = m.pop();
         const PickleRef items[] = {key, value};
         m.set_items(items);
       }},
      {'u', "SETITEMS", [](Machine& m) { m.set_items(m.pop_to_mark()); }},
      {')', "EMPTY_TUPLE", [](Machine& m) { m.push_fixed(PickleValue::Kind::tuple, {}); }},
      {'t', "TUPLE", [](Machine& m) { m.push_fixed(PickleValue::Kind::tuple, m.pop_to_mark()); }},
      {0x85, "TUPLE1", [](Machine& m) { m.push_tuple_of(1); }},
      {0x86, "TUPLE2", [](Machine& m) { m.push_tuple_of(2); }},
      {0x87, "TUPLE3", [](Machine& m) { m.push_tuple_of(3); }},
      {'c', "GLOBAL",
       [](Machine& m) {
         const std::string_view module = m.take_line(), name = m.take_line();
         m.push_global(module, name);
       }},
      {0x93, "STACK_GLOBAL",
       [](Machine& m) {
         const PickleValue name = m.pickle_[m.pop()], module = m.pickle_[m.pop()];
         if (name.kind != PickleValue::Kind::text || module.kind != PickleValue::Kind::text) m.broken("STACK_GLOBAL of no texts");
         m.push_global(module.text, name.text);
       }},
      {'R', "REDUCE", [](Machine& m) { m.reduce(); }},
      {'b', "BUILD", [](Machine& m) { m.build(); }},
      {'Q', "BINPERSID",
       [](Machine& m) {
         const PickleRef id[] = {m.pop()};
         m.push_fixed(PickleValue::Kind::stored, id);
       }},
      {'q', "BINPUT", [](Machine& m) { m.put(m.take_number<std::uint8_t>()); }},
      {'r', "LONG_BINPUT", [](Machine& m) { m.put(m.take_number<std::uint32_t>()); }},
      {0x94, "MEMOIZE", [](Machine& m) { m.put(m.memo_.size()); }},
      {'h', "BINGET", [](Machine& m) { m.get(m.take_number<std::uint8_t>()); }},
      {'j', "LONG_BINGET", [](Machine& m) { m.get(m.take_number<std::uint32_t>()); }},
      {'i', "INST", nullptr},
      {'o', "OBJ", nullptr},
      {0x81, "NEWOBJ", nullptr},
      {0x92, "NEWOBJ_EX", nullptr},
      {0x82, "EXT1", nullptr},
      {0x83, "EXT2", nullptr},
      {0x84, "EXT4", nullptr},
      {'P', "PERSID", nullptr},
      {'I', "INT", nullptr},
      {'L', "LONG", nullptr},
      {'F', "FLOAT", nullptr},
      {'S', "STRING", nullptr},
      {'V', "UNICODE", nullptr},
      {0x8d, "BINUNICODE8", nullptr},
      {'B', "BINBYTES", nullptr},
      {'C', "SHORT_BINBYTES", nullptr},
      {0x8e, "BINBYTES8", nullptr},
      {0x96, "BYTEARRAY8", nullptr},
      {0x97, "NEXT_BUFFER", nullptr},
      {0x98, "READONLY_BUFFER", nullptr},
      {'l', "LIST", nullptr},
      {'d', "DICT", nullptr},
      {0x8f, "EMPTY_SET", nullptr},
      {0x90, "ADDITEMS", nullptr},
      {0x91, "FROZENSET", nullptr},
      {'0', "POP", nullptr},
      {'1', "POP_MARK", nullptr},
      {'2', "DUP", nullptr},
      {'p', "PUT", nullptr},
      {'g', "GET", nullptr},
}};

}  // namespace headscope
