# CMake's toolchain of headscope-cli for Windows: Debian's mingw-w64, and what dependencies.sh built.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(host x86_64-w64-mingw32)
# -posix: std::thread and std::mutex.
set(CMAKE_C_COMPILER ${host}-gcc-posix)
set(CMAKE_CXX_COMPILER ${host}-g++-posix)
set(CMAKE_RC_COMPILER ${host}-windres)
# Windows 10. GCC aligns the stack to 16 bytes there and yet moves vectors of 32 as if it were 32 (its bug 54412): the
# assembler makes these moves ones that need no alignment.
set(CMAKE_C_FLAGS_INIT -D_WIN32_WINNT=0x0A00)
set(CMAKE_CXX_FLAGS_INIT "-D_WIN32_WINNT=0x0A00 -DNOMINMAX -DWIN32_LEAN_AND_MEAN -Wa,-muse-unaligned-vector-move")
# Where dependencies.sh built; nothing else is looked into, least of all /usr/include.
if(DEFINED ENV{HEADSCOPE_WINDOWS_PREFIX})
  set(prefix "$ENV{HEADSCOPE_WINDOWS_PREFIX}")
else()
  set(prefix "$ENV{HOME}/.cache/headscope/windows")
endif()
# One file that runs: nothing of mingw-w64 lies beside it.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -L${prefix}/lib")
# What static libraries need of each other, and of Windows, after all that is linked by name. While dependencies.sh builds
# one after the other, not all of them are there.
set(libraries "")
foreach(name cairo pixman-1 fontconfig expat harfbuzz freetype png16 z)
  if(EXISTS "${prefix}/lib/lib${name}.a")
    string(APPEND libraries "-l${name} ")
  endif()
endforeach()
set(CMAKE_CXX_STANDARD_LIBRARIES "${libraries}-lgdi32 -lmsimg32 -lole32 -luuid -lwindowscodecs -lssp -ladvapi32 -lshell32 -luser32 -lkernel32" CACHE STRING "")
set(CMAKE_FIND_ROOT_PATH "${prefix}" /usr/${host})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "${prefix}/lib/pkgconfig")
set(ENV{PKG_CONFIG_PATH} "")
set(PKG_CONFIG_ARGN --static)
