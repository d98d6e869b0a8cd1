# headscope_precompile(target [<header>...]): parses cmake/precompiled.h, and these headers, once for the whole target.
function(headscope_precompile target)
  if(HEADSCOPE_FUZZ)
    return()  # kernels have other flags there, and a build without says which includes are missing
  endif()
  target_precompile_headers(${target} PRIVATE "${CMAKE_SOURCE_DIR}/cmake/precompiled.h" ${ARGN})
endfunction()

# headscope_share_precompiled(target other): what was parsed for `other`, whose compile options are the same.
function(headscope_share_precompiled target other)
  if(NOT HEADSCOPE_FUZZ)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()
