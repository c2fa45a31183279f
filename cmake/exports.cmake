# What the shared library shows: the functions that the public headers declare, and nothing else.
# Writes palp.map, a version script, into the build.

file(GLOB publicHeaders CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/palp/*.h)
set(exported "")
foreach(header ${publicHeaders})
    # A header that changes may declare more.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(STRINGS ${header} lines REGEX "pl[A-Z][A-Za-z0-9_]*\\(")
    foreach(line ${lines})
        string(REGEX REPLACE "//.*$" "" line "${line}")
        string(REGEX MATCHALL "pl[A-Z][A-Za-z0-9_]*\\(" names "${line}")
        list(APPEND exported ${names})
    endforeach()
endforeach()
list(TRANSFORM exported REPLACE "\\(" "")
list(REMOVE_DUPLICATES exported)
list(SORT exported)
list(JOIN exported ";\n        " exported)
set(exported "PALP_${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} {
    global:
        ${exported};
    local:
        *;
};
")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/palp.map CONTENT "${exported}" @ONLY)
