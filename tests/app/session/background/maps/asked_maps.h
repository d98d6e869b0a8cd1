// Pictures of large maps as a panel asks for them: in two frames.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>

#include "app/session/background/maps/map_tiles.h"

namespace headscope {

// Every finished part is given out, however soon after the one before.
inline MapTiles::Options at_once() {
  MapTiles::Options options;
  options.publish = std::chrono::milliseconds(0);
  return options;
}

// The picture in the frame after the one that asked for it.
inline std::shared_ptr<const MapPicture> ask(MapTiles& maps, const MapQuery& query, const PyramidSource& source) {
  maps.want(query, source, 0);
  maps.end_frame();
  auto picture = maps.want(query, source, 0);
  maps.end_frame();
  return picture;
}

// Numbers that look random and cost little; `counted`, where there is one, counts those that are read.
inline Tensor counted_matrix(std::int64_t rows, std::int64_t columns,
                             std::shared_ptr<std::atomic<std::int64_t>> counted) {
  return Tensor::computed({rows, columns}, {Axis::query, Axis::key},
                          [counted](const Region& region, std::span<float> out) {
                            if (counted) *counted += element_count(region);
                            std::size_t at = 0;
                            for (std::int64_t i = region[0].begin; i < region[0].end; ++i) {
                              for (std::int64_t j = region[1].begin; j < region[1].end; ++j) {
                                const auto mixed = static_cast<std::uint32_t>(i * 7919 + j) * 2654435761U;
                                out[at++] = static_cast<float>(mixed >> 8) / 16777216.0F;
                              }
                            }
                          });
}

}  // namespace headscope
