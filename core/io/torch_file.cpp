#include "core/io/torch_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/io/bytes.h"
#include "core/io/mapped_file.h"
#include "core/io/npz.h"
#include "core/io/pickle.h"
#include "core/io/pickle_json.h"
#include "core/io/stored_numbers.h"
#include "core/io/torch_globals.h"

namespace headscope {
namespace {

using Bytes = std::span<const std::byte>;

// What a file of torch.save before 1.6 begins with: a pickle of the number 0x1950a86a20f9469cfc6c, behind the version
// of its protocol and, from protocol 4 on, a frame.
constexpr std::string_view kLegacyMagic = std::string_view("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 13);

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The bytes of that pickle; 0 where the file begins with another.
std::size_t magic_size(std::string_view text) {
  if (text.size() < 2 || text[0] != '\x80' || text[1] < 2 || text[1] > 5) return 0;
  constexpr std::size_t kVersion = 2, kFrame = 9;  // with their opcodes
  std::size_t begin = kVersion;
  if (text.substr(begin).starts_with('\x95')) begin += kFrame;
  const bool magic = begin < text.size() && text.substr(begin).starts_with(kLegacyMagic);
  return magic ? begin + kLegacyMagic.size() : 0;
}

std::size_t bytes_of(const TorchStorage& storage) {
  return static_cast<std::size_t>(storage.numbers * (dtype_bits(storage.dtype) / 8));
}

// The storages of a file by their keys, and the tensors put on them.
class Storages {
 public:
  explicit Storages(const std::string& what) : what_(what) {}

  void add(std::string key, TorchStoragePlace place) {
    if (!numbers_.try_emplace(key, places_.size()).second) {
      throw Error(fmt::format("{}: the storage {} stands twice", what_, in_quotes(key)));
    }
    places_.push_back(std::move(place));
  }

  // `where` begins errors.
  TorchContents with_tensors_of(const Pickle& pickle, const std::string& where) {
    TorchContents contents;
    std::vector<TorchTensor> tensors = unnamed_torch_tensors(pickle, where);
    contents.named = tensors.empty();
    contents.settings = settings_of_pickle(pickle);
    if (contents.named) tensors = torch_tensors(pickle, where);
    for (const TorchTensor& tensor : tensors) {
      const auto found = numbers_.find(tensor.storage.key);
      if (found == numbers_.end()) {
        throw Error(fmt::format("{}: tensor {} lies in storage {}, which is not in the file", what_,
                                in_quotes(tensor.name), in_quotes(tensor.storage.key)));
      }
      const std::size_t there = places_[found->second].bytes, needed = bytes_of(tensor.storage);
      if (needed > there) {
        throw Error(fmt::format("{}: tensor {} lies in storage {} of {} bytes, of which the file has {}", what_,
                                in_quotes(tensor.name), in_quotes(tensor.storage.key), needed, there));
      }
      contents.storage_of.push_back(found->second);
    }
    contents.tensors = std::move(tensors);
    contents.storages = std::move(places_);
    // The keys lie in the pickle, which need not stay.
    for (TorchTensor& tensor : contents.tensors) tensor.storage.key = {};
    return contents;
  }

 private:
  const std::string& what_;
  std::map<std::string, std::size_t, std::less<>> numbers_;
  std::vector<TorchStoragePlace> places_;
};

// The folder that all members lie in. A path that leads out of it is a trap.
std::string folder_of(const std::vector<ZipMember>& members, const std::string& what) {
  constexpr std::string_view pickle = "/data.pkl";
  std::string folder;
  for (const ZipMember& member : members) {
    if (member.name.ends_with("/constants.pkl")) {
      throw Error(what +
                  ": an archive of torch.jit.save, which holds code; expected the tensors alone: save them by "
                  "torch.save(model.state_dict(), FILE)");
    }
    const std::string_view name = member.name;
    if (name.ends_with(pickle) && name.find('/') == name.size() - pickle.size())
      folder = name.substr(0, name.find('/') + 1);
  }
  if (folder.empty()) {
    const bool arrays = std::any_of(members.begin(), members.end(),
                                    [](const ZipMember& member) { return member.name.ends_with(".npy"); });
    if (arrays) throw Error(fmt::format("{}: {}", what, kNpzAdvice));
    throw Error(what + ": a zip archive without FOLDER/data.pkl; expected what torch.save wrote");
  }
  for (const ZipMember& member : members) {
    const std::string_view name = member.name;
    const std::string parts = "/" + member.name + "/";
    if (!name.starts_with(folder) || parts.find("/../") != parts.npos || parts.find("/./") != parts.npos ||
        parts.find("//") != parts.npos || name.find_first_of(std::string_view("\\\0", 2)) != name.npos) {
      throw Error(fmt::format("{}: its member {} lies outside of its folder {}; torch.save writes none such", what,
                              in_quotes(name), in_quotes(folder)));
    }
    if (member.deflated) {
      throw Error(fmt::format("{}: its member {} is compressed; torch.save compresses none: pack it anew by zip -0",
                              what, in_quotes(name)));
    }
  }
  return folder;
}

TorchContents parse_archive(Bytes bytes, const std::string& what) {
  const std::vector<ZipMember> members = zip_members(bytes, what);
  const std::string folder = folder_of(members, what);
  Storages storages(what);
  const ZipMember* pickle = nullptr;
  for (const ZipMember& member : members) {
    const std::string name = member.name.substr(folder.size());
    if (name == "data.pkl") pickle = &member;
    if (name == "byteorder" && text_of(stored_member(bytes, member, what)) != "little") {
      throw Error(fmt::format("{}: its byte order is {}; expected little", what,
                              in_quotes(text_of(stored_member(bytes, member, what)))));
    }
    if (name.starts_with("data/")) {
      storages.add(name.substr(5), {member.begin, static_cast<std::size_t>(member.packed), member});
    }
  }
  const Pickle parsed = parse_pickle(stored_member(bytes, *pickle, what), torch_globals(), what);
  return storages.with_tensors_of(parsed, what + ", a zip archive of torch.save");
}

// Numbers of several pickles one behind the other.
class LegacyReader {
 public:
  LegacyReader(Bytes bytes, const std::string& what) : bytes_(bytes), what_(what) {}

  Pickle next() {
    Pickle pickle = parse_pickle(bytes_.subspan(at_), torch_globals(), what_);
    at_ += pickle.size();
    return pickle;
  }

  TorchContents read() {
    at_ = magic_size(text_of(bytes_));
    const Pickle version = next();
    if (version.root().kind != PickleValue::Kind::whole || version.root().whole != 1001) {
      throw Error(fmt::format("{}: a file of torch.save of protocol {}; expected 1001", what_,
                              shown_pickle_value(version, version.root(), torch_globals())));
    }
    const Pickle system = next();
    const PickleValue* little = system.find(system.root(), "little_endian");
    if (little == nullptr || little->kind != PickleValue::Kind::truth || little->whole != 1) {
      throw Error(what_ + ": its byte order is not said to be little-endian; expected little_endian True");
    }
    const Pickle pickle = next();
    const Pickle keys = next();
    Storages storages(what_);
    take_storages(pickle, keys, storages);
    return storages.with_tensors_of(pickle, what_);
  }

 private:
  // Behind the list of keys stand the storages in its order, each its size in numbers and then these.
  void take_storages(const Pickle& pickle, const Pickle& keys, Storages& storages) {
    std::map<std::string_view, TorchStorage> known;
    for (const TorchStorage& storage : torch_storages(pickle, what_)) {
      const auto [at, added] = known.try_emplace(storage.key, storage);
      if (added || (bytes_of(at->second) == bytes_of(storage))) continue;
      throw Error(fmt::format("{}: the storage {} has two sizes", what_, in_quotes(storage.key)));
    }
    if (keys.root().kind != PickleValue::Kind::list) throw Error(what_ + ": its list of storages is none");
    for (const PickleRef ref : keys.items(keys.root())) {
      const PickleValue& key = keys[ref];
      const auto storage = key.kind == PickleValue::Kind::text ? known.find(key.text) : known.end();
      if (storage == known.end()) {
        throw Error(fmt::format("{}: its list of storages names {}, which no tensor lies in", what_,
                                shown_pickle_value(keys, key, torch_globals())));
      }
      const std::size_t needed = bytes_of(storage->second);
      if (bytes_.size() - at_ < 8) refuse_end(key.text, needed);
      const auto numbers = load<std::int64_t>(bytes_.data() + at_);
      at_ += 8;
      if (numbers != storage->second.numbers) {
        throw Error(fmt::format("{}: the storage {} has {} numbers, its tensors say {}", what_, in_quotes(key.text),
                                numbers, storage->second.numbers));
      }
      if (bytes_.size() - at_ < needed) refuse_end(key.text, needed);
      storages.add(std::string(key.text), {at_, needed, {}});
      at_ += needed;
    }
  }

  [[noreturn]] void refuse_end(std::string_view key, std::size_t needed) const {
    throw Error(fmt::format("{}: ends within the storage {} of {} bytes (a download cut short?)", what_, in_quotes(key),
                            needed));
  }

  Bytes bytes_;
  const std::string& what_;
  std::size_t at_ = 0;
};

}  // namespace

bool begins_like_torch(Bytes bytes) {
  const std::string_view text = text_of(bytes.first(std::min<std::size_t>(bytes.size(), 9)));
  // A safetensors file whose header has a length of 0x0280 to 0x0580 bytes, and a little more.
  if (text.size() > 8 && text[8] == '{' && text[7] == '\0' && text[6] == '\0') return false;
  return text.starts_with("PK\x03\x04") || text.starts_with("PK\x05\x06") ||
         (text.size() >= 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5);
}

bool is_torch_archive(Bytes bytes) {
  // A local header: the name's length at byte 26, the name from byte 30 on.
  if (bytes.size() < 30 || !text_of(bytes).starts_with("PK")) return false;
  return text_of(bytes).substr(30, load<std::uint16_t>(bytes.data() + 26)).ends_with("/data.pkl");
}

TorchContents parse_torch(Bytes bytes, const std::string& what) {
  if (magic_size(text_of(bytes)) > 0) return LegacyReader(bytes, what).read();
  if (text_of(bytes).starts_with("PK\x03\x04") || text_of(bytes).starts_with("PK\x05\x06")) {
    return parse_archive(bytes, what);
  }
  const std::string seen = describe_bytes(bytes);
  throw Error(fmt::format("{}: not a file of torch.save{}", what, seen.empty() ? "" : ": it is " + seen));
}

}  // namespace headscope
