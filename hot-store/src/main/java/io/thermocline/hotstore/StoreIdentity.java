package io.thermocline.hotstore;

/**
 * Who a store is.
 *
 * @param storeId UUID, fixed when the hot directory was created
 * @param epoch counts the store's rebuilds from the lake; offsets are never reused across epochs
 */
public record StoreIdentity(String storeId, long epoch) {}
