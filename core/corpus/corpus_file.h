// .hsagg: a CorpusRecord as a safetensors file; layout: core/corpus/README.md.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "core/corpus/corpus_record.h"

namespace headscope {

// The bytes of the file: the same for equal records.
std::string corpus_file_bytes(const CorpusRecord& record);

// Whole or not at all (write_file_atomically).
void write_corpus_file(const std::string& path, const CorpusRecord& record);

// Error that names `what` for anything but such a file, as it was written to the last bit: the checksum in it covers
// every byte.
CorpusRecord parse_corpus_file(std::span<const std::byte> bytes, const std::string& what);
CorpusRecord read_corpus_file(const std::string& path);

// Whether the metadata of a safetensors file say that it is one.
bool is_corpus(const std::map<std::string, std::string>& metadata);

// Where the 64 digits of the checksum stand; nullopt where the file has none. The checksum is the SHA-256 of the whole
// file with 0 for each of them.
constexpr std::size_t kChecksumDigits = 64;
std::optional<std::size_t> corpus_checksum_place(std::span<const std::byte> bytes);
std::string corpus_checksum(std::span<const std::byte> bytes, std::size_t place);

}  // namespace headscope
