// Reads stages that other code computed from files, to compare ours with them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnose/diagnose.h"

namespace headscope {

// Whether the file holds several tensors by name: .safetensors, .npz, a file of torch.save, or a folder of .npy files.
bool names_its_stages(const std::string& path);

// How the numbers of files are taken.
struct StoredFormat {
  // "bf16", "f16", "f8e4m3" or "f8e5m2": whole numbers of as many bits without a sign are the bits of that format; any
  // other: those of 16 bits are bfloat16 where they look like it (core/io/small_floats.h).
  std::string_view format = "auto";
  std::vector<std::string>* sentences = nullptr;  // gets what was taken so; null: nobody asks
};

// The stages in a file or folder. One that names_its_stages() holds them by name, as stages are called or as programs
// call them (q, k, v, attn, attn_weights, attn_output, out); tensors of other names are left out. Where `ours` has no
// output, what programs call one is the context. Any other file is one .npy: it holds `stage` or, when that is nullopt,
// the stage that its name ends with ("my_output.npy"), or else the last of our stages with its shape. A stage without a
// batch axis has batch 1. With several tensors, `stage` picks one; the only tensor of a file is `stage` whatever its
// name, but for the name of another stage and `by_name_alone` (several stages are read from the file). Error when the
// file cannot be read, holds none of our stages, one of them twice, or a number that float32 does not reach; UsageError
// when `ours` has no such stage, and for a number without axes.
std::vector<ExternalStage> read_external_stages(const Trace& ours, const std::string& path,
                                                std::optional<StageId> stage = std::nullopt,
                                                const StoredFormat& stored = {}, bool by_name_alone = false);

}  // namespace headscope
