# Debian packages, one for each component of the installation; made by ./dev package.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME palp)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGE_CONTACT "palp contributors <contributors@palp.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL command library development python)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)

set(libraryPackage libpalp${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(sameVersion "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")

configure_file(${PROJECT_SOURCE_DIR}/cmake/debian/changelog.in changelog.Debian @ONLY)
palp_compress(${PROJECT_BINARY_DIR}/changelog.Debian changelog.Debian.gz)

# Each with the folder of its documents.
function(palp_package component name section summary description)
    string(TOUPPER ${component} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
    set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
    set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${description}" PARENT_SCOPE)
    set(documents ${CMAKE_INSTALL_DATADIR}/doc/${name})
    install(FILES ${PROJECT_SOURCE_DIR}/cmake/debian/copyright DESTINATION ${documents}
            COMPONENT ${component} EXCLUDE_FROM_ALL)
    install(FILES ${PROJECT_BINARY_DIR}/changelog.Debian.gz DESTINATION ${documents}
            COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

palp_package(command palp science "haptic rendering and interactive simulation"
"Mechanisms that move, are joined and touch, at 1 kHz and above, with an owner
for every joule. This is the command, which runs, records and judges scenes and
serves them to a browser, with its scenes and its viewer.")
palp_package(library ${libraryPackage} libs "haptic rendering and simulation: shared library"
"A C library of rigid, articulated and soft mechanisms, contact laws, devices
and couplings, with an energy ledger. This is what programs need to run.")
palp_package(development libpalp-dev libdevel "haptic rendering and simulation: development files"
"Headers, static library, pkg-config file and CMake package of palp.")
palp_package(python python3-palp python "haptic rendering and simulation: Python module"
"Runs palp's scenes from Python: states, forces, contacts, energies and channels
as numpy arrays, snapshots, and wrenches on what moves.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/debian/triggers)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS gnuplot-nox)
# OpenBLAS's pkg-config file names the Fortran library for static links, but its package does not bring it.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${libraryPackage} (= ${sameVersion}), libopenblas-dev, \
libgfortran-12-dev, liblapacke-dev, libsuitesparse-dev, libjansson-dev, libhdf5-dev, libwebsockets-dev")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, ${libraryPackage} (>= ${sameVersion})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-numpy, palp")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-matplotlib)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)

include(CPack)
