/* as_multi.h - sap_multi in the place of sap_world: a test that includes this runs through sap_multi.h, but for sap_create,
   whose config is another. */

#ifndef AS_MULTI_H
#define AS_MULTI_H

#define sap_world sap_multi
#define sap_destroy sap_multi_destroy
#define sap_reserve sap_multi_reserve
#define sap_add sap_multi_add
#define sap_add_static sap_multi_add_static
#define sap_add_many sap_multi_add_many
#define sap_add_static_many sap_multi_add_static_many
#define sap_move sap_multi_move
#define sap_move_many sap_multi_move_many
#define sap_remove sap_multi_remove
#define sap_remove_many sap_multi_remove_many
#define sap_set_filter sap_multi_set_filter
#define sap_set_filter_many sap_multi_set_filter_many
#define sap_set_pair_filter sap_multi_set_pair_filter
#define sap_refilter sap_multi_refilter
#define sap_shift_origin sap_multi_shift_origin
#define sap_set_static sap_multi_set_static
#define sap_set_object sap_multi_set_object
#define sap_clear sap_multi_clear
#define sap_last_error sap_multi_last_error
#define sap_last_error_argument sap_multi_last_error_argument
#define sap_update sap_multi_update
#define sap_dump_pairs sap_multi_dump_pairs
#define sap_created sap_multi_created
#define sap_deleted sap_multi_deleted
#define sap_pairs sap_multi_pairs
#define sap_find_pair sap_multi_find_pair
#define sap_set_pair_data sap_multi_set_pair_data
#define sap_set_pair_data_at sap_multi_set_pair_data_at
#define sap_pairs_of sap_multi_pairs_of
#define sap_count sap_multi_count
#define sap_is_valid sap_multi_is_valid
#define sap_get_box sap_multi_get_box
#define sap_get_object sap_multi_get_object
#define sap_get_filter sap_multi_get_filter
#define sap_is_static sap_multi_is_static
#define sap_next sap_multi_next
#define sap_prepare_queries sap_multi_prepare_queries
#define sap_query_box sap_multi_query_box
#define sap_query_point sap_multi_query_point
#define sap_query_sphere sap_multi_query_sphere
#define sap_ray_cast sap_multi_ray_cast
#define sap_box_cast sap_multi_box_cast
#define sap_ray_closest sap_multi_ray_closest
#define sap_nearest sap_multi_nearest
#define sap_nearest_to sap_multi_nearest_to
#define sap_query_nearest sap_multi_query_nearest
#define sap_query_box_ids sap_multi_query_box_ids
#define sap_query_sphere_ids sap_multi_query_sphere_ids
#define sap_nearest_ids sap_multi_nearest_ids
#define sap_box_closest sap_multi_box_closest
#define sap_box_closest_if sap_multi_box_closest_if
#define sap_slide sap_multi_slide
#define sap_slide_if sap_multi_slide_if
#define sap_ray_cast_ids sap_multi_ray_cast_ids
#define sap_nearest_to_ids sap_multi_nearest_to_ids
#define sap_snapshot_size sap_multi_snapshot_size
#define sap_save sap_multi_save
#define sap_restore sap_multi_restore
#define sap_validate sap_multi_validate
#define sap_get_stats sap_multi_get_stats

#endif
