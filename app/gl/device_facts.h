// What the OpenGL driver says of itself, for a report of a problem.
#pragma once

#include <string>

namespace headscope {

struct DeviceFacts {
  std::string renderer, vendor, version;  // GL_RENDERER, GL_VENDOR, GL_VERSION
  std::string failure;                    // why there is no context; else ""
};

// Of the current context.
DeviceFacts device_facts();

// Of a context that is made without a window, in a process of its own: a driver that crashes or hangs for twenty
// seconds is a failure that is named. Call it before the program has threads.
DeviceFacts device_facts_without_window();

}  // namespace headscope
