/**
 * Moving the changelog into the lake. A round is stateless: everything it starts from is in the
 * lake, so that it may run anywhere and be interrupted at any moment.
 */
package io.thermocline.unionread.tiering;
