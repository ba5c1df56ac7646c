/**
 * What a lake binding must do. A binding's tests extend the suites of this package and give them a
 * {@link io.thermocline.lake.conformance.LakeUnderTest}.
 */
package io.thermocline.lake.conformance;
