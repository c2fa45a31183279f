# Hardening of all that is built from here, in so far as the compiler and the linker have it; sanitized builds
# check more by themselves, and sanitizers do not know the checked functions of FORTIFY.
# test/hardening_test.sh looks at the result.

include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

# A run path of the build would end with an empty entry, which means the current folder: whoever could write
# there would have their code run. Libraries are found as the system finds them.
set(CMAKE_SKIP_RPATH ON)

check_pie_supported()

if(PALP_SANITIZE)
    return()
endif()

set(CMAKE_REQUIRED_FLAGS -Werror) # clang only warns of a flag of another processor
foreach(flag -fstack-protector-strong -fstack-clash-protection
        -fcf-protection=full -mbranch-protection=standard) # of the last two a processor has one
    string(MAKE_C_IDENTIFIER "PALP_HAS${flag}" known)
    check_c_compiler_flag(${flag} ${known})
    if(${known})
        add_compile_options(${flag})
    endif()
endforeach()
unset(CMAKE_REQUIRED_FLAGS)
# Needs an optimising compiler.
add_compile_options("$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")

foreach(flag relro now noexecstack)
    check_linker_flag(C -Wl,-z,${flag} PALP_LINKS_${flag})
    if(PALP_LINKS_${flag})
        add_link_options(-Wl,-z,${flag})
    endif()
endforeach()
